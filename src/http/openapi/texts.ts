/**
 * The texts of the OpenAPI document and of its page. All fronts of a process share them; each walks through the same steps,
 * made before or not, so that a virtual run does not depend on those before it. No step takes long.
 */
import type { Sliced } from '../../model/collection/slices.ts';
import type { Clock } from '../../ports/clock.ts';
import { Pace } from '../../ports/pace.ts';
import type { RouteDefinition } from '../contract.ts';
import { openApiInSteps, operationSteps } from './document.ts';
import { pageInSteps } from './page.ts';

export interface InterfaceTexts {
  readonly document: string;
  readonly page: string;
}

/** The texts for these routes, made in slices between which others have their turn. */
export async function interfaceTexts(routes: readonly RouteDefinition[], clock: Clock): Promise<InterfaceTexts> {
  const key = JSON.stringify(routes.map(({ method, path, isTool }) => [method, path, isTool]));
  const making = shared.get(key) ?? new Making(textsInSteps(routes));
  shared.set(key, making);
  const pace = new Pace(clock);
  for (let step = 1; ; step += 1) {
    const texts = making.after(step);
    if (texts !== undefined) return texts;
    if (pace.isPauseDue(operationSteps)) await pace.pause();
  }
}

/** By the routes: there are as many as kinds of fronts, one that is strict and one that is not. */
const shared = new Map<string, Making>();

function* textsInSteps(routes: readonly RouteDefinition[]): Sliced<InterfaceTexts> {
  const openApi = yield* openApiInSteps(routes);
  yield operationSteps;
  const document = JSON.stringify(openApi);
  yield operationSteps;
  return { document, page: yield* pageInSteps(openApi) };
}

class Making {
  readonly #work: Sliced<InterfaceTexts>;
  #steps = 0;
  #texts: InterfaceTexts | undefined;
  /** A generator that has thrown is over: every front that asks gets the same error. */
  #error: Error | undefined;

  constructor(work: Sliced<InterfaceTexts>) {
    this.#work = work;
  }

  /** Does what is still to be done of so many steps. The texts, where these are all. */
  after(steps: number): InterfaceTexts | undefined {
    while (this.#texts === undefined && this.#steps < steps) {
      if (this.#error !== undefined) throw this.#error;
      try {
        const { done, value } = this.#work.next();
        if (done === true) this.#texts = value;
      } catch (error) {
        this.#error = error instanceof Error ? error : new Error(String(error));
        throw this.#error;
      }
      this.#steps += 1;
    }
    return steps >= this.#steps ? this.#texts : undefined;
  }
}
