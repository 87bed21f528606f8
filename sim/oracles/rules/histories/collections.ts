/** The collections of items in the interface, as its documents show them. */

export interface ItemPath {
  readonly collection: string;
  /** The item; `undefined`: the collection. */
  readonly id: string | undefined;
  /** Where the items are: a meeting, the domain in the path, or empty. */
  readonly parent: string;
}

interface Collection {
  readonly name: string;
  /** The groups are the parent, where there is one, and the id. */
  readonly form: RegExp;
  /** Fields whose values are unique in a domain. */
  readonly unique: readonly string[];
}

const plain = (name: string, base: string, unique: readonly string[] = []): Collection => ({
  name,
  form: new RegExp(`^/rest/v1/${base}()(?:/([^/]+))?$`),
  unique,
});

const collections: readonly Collection[] = [
  { name: 'users', form: /^\/rest\/v1\/domain\/domains\/([^/]+)\/users(?:\/([^/]+))?$/, unique: ['login'] },
  plain('roleapps', 'domain/roleapps', ['folder']),
  plain('chatcampaigns', 'uc/chatcampaigns', ['code']),
  plain('recordrules', 'uc/recordrules'),
  plain('sipusers', 'uc/sipusers', ['login', 'phonenumber']),
  plain('borderrules', 'master/borderrules'),
  {
    name: 'participants',
    form: /^\/rest\/v1\/(?:uc|api)\/selectors\/([^/]+)\/participants(?:\/([^/]+))?$/,
    unique: [],
  },
  plain('selectors', '(?:uc|api)/selectors'),
];

export function itemPathOf(path: string): ItemPath | undefined {
  for (const { name, form } of collections) {
    const [whole, parent = '', id] = form.exec(path) ?? [];
    if (whole === undefined) continue;
    return { collection: name, parent: parent.toLowerCase(), id: id?.toLowerCase() };
  }
  return undefined;
}

export function uniqueFieldsOf(collection: string): readonly string[] {
  return collections.find(({ name }) => name === collection)?.unique ?? [];
}
