/** How much the runs of an instance hold, in characters of JSON: live ones within a limit, of which a domain may have a share. */
import { limits } from '../model/limits.ts';

interface Claim {
  readonly domain: string;
  readonly letters: number;
}

export class RunMemory {
  readonly #claims = new Map<string, Claim>();
  readonly #byDomain = new Map<string, number>();
  #total = 0;

  /** Notes what a run holds now. Returns why it is too much: the claim of the run is then what it was. */
  claim(id: string, domain: string, letters: number): string | undefined {
    const before = this.#claims.get(id)?.letters ?? 0;
    const problem = letters > before ? this.problemOf(domain, letters - before) : undefined;
    if (problem !== undefined) return problem;
    this.#claims.set(id, { domain, letters });
    this.#add(domain, letters - before);
    return undefined;
  }

  /** Why a domain cannot have so much more. */
  problemOf(domain: string, more: number): string | undefined {
    const own = (this.#byDomain.get(domain) ?? 0) + more;
    if (own > limits.scriptDomainChars) {
      return `the scripts of ${domain} that run hold ${own} characters; the limit of a domain is ${limits.scriptDomainChars}`;
    }
    const all = this.#total + more;
    if (all <= limits.scriptMemoryChars) return undefined;
    return `the scripts that run hold ${all} characters; the limit is ${limits.scriptMemoryChars}`;
  }

  release(id: string): void {
    const claim = this.#claims.get(id);
    if (claim === undefined) return;
    this.#claims.delete(id);
    this.#add(claim.domain, -claim.letters);
  }

  #add(domain: string, letters: number): void {
    const own = (this.#byDomain.get(domain) ?? 0) + letters;
    this.#total += letters;
    if (own === 0) this.#byDomain.delete(domain);
    else this.#byDomain.set(domain, own);
  }
}
