/** Global variables of the scripts of a domain: shared by the runs of an instance, and stored with them where these are stored. */
import { limits } from '../model/limits.ts';
import type { Evaluation } from '../ports/sandbox.ts';

type Values = Readonly<Record<string, unknown>>;

const namePattern = /^\w{1,64}$/;

export class GlobalVariables {
  readonly #isAllowed: (domain: string) => boolean;
  readonly #values = new Map<string, Values>();
  readonly #changed = new Set<string>();

  constructor(isAllowed: (domain: string) => boolean) {
    this.#isAllowed = isAllowed;
  }

  /** The functions of expressions: `getglobal(name)`, and `setglobal(name, value)`, which returns the value. */
  functions(domain: string): NonNullable<Evaluation['functions']> {
    return {
      getglobal: (name: unknown) => this.#of(domain, name)[String(name)] ?? null,
      setglobal: (name: unknown, value: unknown) => {
        const values = { ...this.#of(domain, name), [String(name)]: value ?? null };
        if (JSON.stringify(values).length > limits.scriptVariableChars) {
          throw new Error(`the global variables exceed ${limits.scriptVariableChars} characters of JSON`);
        }
        this.#values.set(domain, values);
        this.#changed.add(domain);
        return value ?? null;
      },
    };
  }

  restore(domain: string, values: Values): void {
    this.#values.set(domain, values);
  }

  /** The variables of each domain that have changed since the last call. */
  takeChanged(): [domain: string, values: Values][] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed.map((domain) => [domain, this.#values.get(domain) ?? {}]);
  }

  #of(domain: string, name: unknown): Values {
    if (!this.#isAllowed(domain)) {
      throw new Error(`${domain} does not allow global variables: its option script_allow_global_variables is false`);
    }
    if (typeof name === 'string' && namePattern.test(name) && name !== '__proto__')
      return this.#values.get(domain) ?? {};
    throw new Error(`expected the name of a global variable, 1 to 64 of A-Z a-z 0-9 _, got ${JSON.stringify(name)}`);
  }
}
