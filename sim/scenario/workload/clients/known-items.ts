/** What the clients of one session have learned from answers: ids and names of what exists. */
import type { RandomStream } from '../../../../src/ports/random.ts';
import { oneOf } from '../tally.ts';

/** Older ones are likely to be gone. */
const mostOfKind = 12;

type Item = Readonly<Record<string, unknown>>;

const idNames = ['dialogid', 'confid', 'participantid', 'inviteid', 'referdialogid'] as const;

export class KnownItems {
  readonly #byKind = new Map<string, string[]>();

  /** `collection`: the path without the id. Items that the clients made may be changed and removed. */
  note(method: string, path: string, body: unknown): void {
    const items = (Array.isArray(body) ? body : [body]).filter(
      (each): each is Item => typeof each === 'object' && each !== null,
    );
    for (const item of items.slice(0, mostOfKind)) {
      for (const name of idNames)
        if (typeof item[name] === 'string') this.add(name === 'referdialogid' ? 'dialogid' : name, item[name]);
      if (typeof item['id'] === 'string') this.add(collectionOf(path), item['id']);
      if (typeof item['id'] === 'string' && method === 'POST') this.add(`own ${collectionOf(path)}`, item['id']);
      if (typeof item['name'] === 'string') this.add(`name ${collectionOf(path)}`, item['name']);
      for (const file of Array.isArray(item['files']) ? (item['files'] as Item[]) : [])
        if (typeof file['name'] === 'string') this.add('recording', file['name']);
    }
  }

  add(kind: string, id: string): void {
    const known = this.#byKind.get(kind) ?? [];
    this.#byKind.set(kind, [...known.filter((each) => each !== id), id].slice(-mostOfKind));
  }

  forget(kind: string, id: string): void {
    this.#byKind.set(
      kind,
      (this.#byKind.get(kind) ?? []).filter((each) => each !== id),
    );
  }

  all(kind: string): readonly string[] {
    return this.#byKind.get(kind) ?? [];
  }

  one(kind: string, random: RandomStream): string | undefined {
    return oneOf(this.all(kind), random);
  }
}

/** The path of the collection to which an answer belongs, by one spelling. */
export function collectionOf(path: string): string {
  return path.replace('/rest/v1/api/', '/rest/v1/uc/').replace(/\/(\{[^}]+\}|[0-9a-f]{8}-[0-9a-f-]{27})$/, '');
}
