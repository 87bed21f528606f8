/** A file that a drill writes while something is broken, and what its content may be by the answers. */
import { type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import type { Drill } from './drill.ts';

export class KeptFile {
  readonly #drill: Drill;
  readonly #path: string;
  /** Several after a change without an answer; `undefined`: there is no file. */
  #contents = new Set<string | undefined>([undefined]);

  constructor(drill: Drill, path: string) {
    this.#drill = drill;
    this.#path = path;
  }

  get isCertain(): boolean {
    return this.#contents.size === 1;
  }

  /** Writes it once that is served. Returns whether it was acknowledged. */
  async write(text: string, site: string): Promise<boolean> {
    const drill = this.#drill;
    const request = { method: 'PUT', bytes: { type: 'audio/wav', text }, site };
    let status = 503;
    await drill.holds(drill.noticedMs, `PUT ${this.#path} is served`, async () => {
      status = (await drill.ask(this.#path, request))?.status ?? 504;
      return status !== 503;
    });
    if (status === 504) this.#contents.add(text);
    if (status < 300) this.#contents = new Set([text]);
    else if (status !== 503 && status !== 504) drill.report(`PUT ${this.#path}: got ${status}`);
    return status < 300;
  }

  /** Finds out what has come of writing without an answer. */
  async settle(site: string): Promise<void> {
    if (this.isCertain) return;
    const answer = await this.#drill.ask(this.#path, { site });
    const text = answer?.status === 404 ? undefined : String(answer?.body);
    const isOne = this.#contents.has(text);
    this.#drill.expect(`GET ${this.#path}`, answer, () =>
      isOne ? undefined : `expected ${[...this.#contents].join(' or ')}, got ${textOf(answer)}`,
    );
    if (isOne) this.#contents = new Set([text]);
  }

  /** Each front shows it. */
  async shown(withinMs: number, sites: readonly string[]): Promise<void> {
    const [content] = this.#contents;
    const isRight: Judge = (answer) => {
      const isShown =
        content === undefined ? answer?.status === 404 : answer?.status === 200 && answer.body === content;
      return isShown ? undefined : `expected ${content}, got ${textOf(answer)}`;
    };
    await this.#drill.everywhere(this.#path, isRight, withinMs, { sites });
  }
}
