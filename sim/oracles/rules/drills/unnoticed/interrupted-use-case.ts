/** Use cases that are played while something comes between their requests, of which they must notice nothing. */
import { sessions } from '../../use-cases/kit/paths.ts';
import { UseCase, type UseCaseMaker, type UseCaseRule } from '../../use-cases/kit/use-case.ts';
import type { Drill } from '../kit/drill.ts';

/** Something that is done between two requests. Returns what was done; `undefined`: nothing was possible. */
export type Interruption = () => Promise<string | undefined>;

/** After so many requests comes the first interruption, each other one after twice as many. */
const firstAfter = 7;
/** Of a use case that is for each kind of entity. */
const parts = 3;

class InterruptedUseCase extends UseCase {
  readonly #drill: Drill;
  readonly #interruption: Interruption | undefined;
  readonly #done: string[] = [];
  /** Requests that have no answer yet: nothing comes in between. */
  #open = 0;
  #requests = 0;
  #next: number;
  #running: Promise<void> | undefined;
  /** When the last session began. */
  #sessionMs = Number.NEGATIVE_INFINITY;

  constructor(drill: Drill, { sender, isOfMaster }: UseCaseRule<UseCase>, index: number, interruption?: Interruption) {
    const turn = { turn: index % parts, turns: parts, first: index };
    super(drill.context, isOfMaster === true ? drill.context.map.masterDomain : drill.domain, sender, turn);
    this.#drill = drill;
    this.#interruption = interruption;
    this.#next = 1 + (index % firstAfter);
  }

  override async ask(...asked: Parameters<UseCase['ask']>): ReturnType<UseCase['ask']> {
    if (this.#requests >= this.#next && this.#open === 0 && this.#running === undefined) {
      this.#running = this.#interrupt().finally(() => {
        this.#running = undefined;
      });
    }
    await this.#running;
    this.#requests += 1;
    this.#open += 1;
    try {
      const answer = await super.ask(...asked);
      const [path, { method = 'GET' } = {}] = asked;
      if (path === sessions && method === 'POST') this.#sessionMs = this.context.now();
      return answer;
    } finally {
      this.#open -= 1;
    }
  }

  override async login(...credentials: Parameters<UseCase['login']>): ReturnType<UseCase['login']> {
    const session = await super.login(...credentials);
    this.#sessionMs = this.context.now();
    return session;
  }

  async #interrupt(): Promise<void> {
    // A front that crashes at once takes a session with it that no other one has heard of yet.
    await this.context.questions.wait(Math.max(0, this.#sessionMs + this.quickMs - this.context.now()));
    const what = await this.#interruption?.();
    if (what !== undefined) this.#done.push(`${what} after ${this.#requests} requests`);
    this.#next = 2 * this.#requests + firstAfter;
  }

  /** Its problems are those of the drill. */
  handOver(name: string): void {
    const { problems } = this.#drill;
    for (const { text, atMs } of this.problems) problems.push({ text: [name, ...this.#done, text].join(': '), atMs });
  }
}

/** They play what many others would have to. */
export const unnoticedWeight = 4;

/** Plays some of the use cases, others each time. */
export async function playInterrupted(
  drill: Drill,
  useCases: readonly UseCaseMaker[],
  { count, interruption }: { readonly count: number; readonly interruption?: Interruption },
): Promise<void> {
  const first = drill.drawn;
  for (let i = 0; i < Math.min(count, useCases.length); i += 1) {
    // Neighbours are of one kind: another kind each time.
    const index = first + i * Math.ceil(useCases.length / count);
    const played = useCases[index % useCases.length];
    if (played === undefined) return;
    const useCase = new InterruptedUseCase(drill, played.useCase, index, interruption);
    try {
      await played.useCase.play(useCase);
    } finally {
      await useCase.end();
    }
    useCase.handOver(played.name);
  }
}
