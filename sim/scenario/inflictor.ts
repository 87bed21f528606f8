/** Inflicts faults that are written as data, and knows by name those that stand until they are mended. */
import type { World } from '../world/world.ts';
import type { ScenarioFault } from './fault-schema.ts';

export class Inflictor {
  readonly #world: World;
  readonly #standing = new Map<string, () => void>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Names of the faults that stand. */
  get names(): ReadonlySet<string> {
    return new Set(this.#standing.keys());
  }

  /** Resolves when it is done: a node does not start in no time. */
  async inflict(fault: ScenarioFault): Promise<void> {
    const { faults, map } = this.#world;
    const { crash, restart, pause, resume, cut, hold, delay, lose, duplicate, mend, name = '' } = fault;
    const { silence, revive, loseOutside, duplicateOutside, cutOutside } = fault;
    if (crash !== undefined) map.nodes.has(crash) ? faults.crashNode(crash) : faults.crashInstance(crash);
    if (restart !== undefined)
      map.nodes.has(restart) ? await faults.restartNode(restart) : faults.restartInstance(restart);
    if (pause !== undefined) faults.pauseNode(pause);
    if (resume !== undefined) faults.resumeNode(resume);
    if (cut !== undefined) this.#stand(name, faults.cut(cut));
    if (hold !== undefined) this.#stand(name, faults.hold(hold));
    if (delay !== undefined) this.#stand(name, faults.delay(delay, delay.by));
    if (lose !== undefined) this.#stand(name, faults.lose(lose, lose.probability));
    if (duplicate !== undefined) this.#stand(name, faults.duplicate(duplicate, duplicate.probability));
    if (silence !== undefined) faults.silence(silence);
    if (revive !== undefined) faults.revive(revive);
    if (loseOutside !== undefined) this.#stand(name, faults.loseOutside(loseOutside.probability));
    if (duplicateOutside !== undefined) this.#stand(name, faults.duplicateOutside(duplicateOutside.probability));
    if (cutOutside !== undefined) this.#stand(name, faults.cutOutside(cutOutside.from));
    if (mend !== undefined) this.#mend(mend);
  }

  /** Of two faults of one name the earlier is mended: nobody could any more. One without a name stands until all are mended. */
  #stand(name: string, lift: () => void): void {
    if (name === '') return;
    this.#standing.get(name)?.();
    this.#standing.set(name, lift);
  }

  #mend(name: string): void {
    if (name === '*') {
      this.#world.faults.mend();
      this.#standing.clear();
    } else {
      this.#standing.get(name)?.();
      this.#standing.delete(name);
    }
  }
}
