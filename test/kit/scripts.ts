/** Scripts in a running cluster: defined, given to a channel, and started at /exec. */
import { type Answer, type Asked, acmeAdmin, type FrontCluster } from './front.ts';

export type Components = Readonly<Record<string, Record<string, unknown>>>;

/** A list of components in which the first of these follows `start`. */
export function componentsOf(components: Components): object[] {
  const [next] = Object.keys(components);
  const list = Object.entries(components).map(([name, rest]) => ({ name, ...rest }));
  return [{ name: 'start', type: 'start', ...(next !== undefined && { next }) }, ...list];
}

export class ScriptAuthor {
  readonly token: string;
  readonly at: string;
  readonly #cluster: FrontCluster;
  #count = 0;

  private constructor(cluster: FrontCluster, token: string, at: string) {
    this.#cluster = cluster;
    this.token = token;
    this.at = at;
  }

  static async open(cluster: FrontCluster, at = 'north', who = acmeAdmin): Promise<ScriptAuthor> {
    return new ScriptAuthor(cluster, await cluster.token(who, at), at);
  }

  ask(line: string, asked: Asked = {}): Promise<Answer> {
    return this.#cluster.ask(line, { at: this.at, token: this.token, ...asked });
  }

  async define(code: string, components: Components): Promise<string> {
    const json = { code, components: componentsOf(components) };
    const answer = await this.ask('POST /rest/v1/domain/svcscripts', { json });
    if (answer.status !== 200) throw new Error(answer.text);
    return (answer.body as { id: string }).id;
  }

  /** Runs the components once, at /exec, and returns the JSON of the variable `answer`. */
  async run(components: Components, json: unknown = {}): Promise<unknown> {
    this.#count += 1;
    const code = `run-${this.#count}`;
    const bearer = `the-token-of-run-${this.#count}-at-${this.at}`;
    const last = {
      type: 'code',
      code: 'response_content = typeof answer === "undefined" ? null : JSON.stringify(answer)',
    };
    await this.define(code, { ...components, answer: last });
    const channel = { code, token_local: bearer, svcscriptcode: code, opts: { recv_timeout: 60 } };
    await this.ask('POST /rest/v1/domain/integrationchannels', { json: channel });
    const answer = await this.ask('POST /exec', { token: bearer, json });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Executes one operation, and returns its answer. */
  operation(operation: string, params: Record<string, unknown> = {}): Promise<unknown> {
    const given = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, JSON.stringify(value)]));
    const component = { type: 'operation', operation, params: given, result: 'answer' };
    return this.run({ go: { ...component, next: 'answer', failed: 'answer', indefinite: 'answer' } });
  }
}
