/** The metadata that user interfaces are drawn from. */
import { noSession } from '../../../questions.ts';
import { isSame, longTextOf, refusing } from '../calls/call-judges.ts';
import { type Item, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { type EntityKind, entityKinds } from './entity-kinds.ts';

const entities = '/rest/v1/metadata/entities';
const id = 'aa0c0f3e-7d51-4c5b-9d8f-300000000000';
const classes: Readonly<Record<string, string>> = {
  users: 'user',
  roleapps: 'roleapp',
  chatcampaigns: 'chatcampaign',
  recordrules: 'recordrule',
  sipusers: 'sipuser',
  svcscripts: 'svcscript',
  ivrscripts: 'ivrscript',
  contactgroups: 'contactgroup',
  integrationchannels: 'integrationchannel',
  selectors: 'selector',
  borderrules: 'borderrule',
};
const methods: Readonly<Record<string, string>> = {
  create: 'POST',
  list: 'GET',
  get: 'GET',
  patch: 'PATCH',
  delete: 'DELETE',
  lookup: 'LOOKUP',
};

interface Described {
  readonly class: string;
  readonly kind: EntityKind;
}

export const metadataServed = useCaseOf({
  name: 'metadata-served',
  rule: 'In a quiescent cluster each front gives the classes of a working domain, in groups, and no others, the columns and operations of the list of a class, and what the fields of its form are: which are required, unique or secret, and their defaults, as the entities have them.',
  sender: '10.6.0.49',
  play: (useCase) => describe(useCase, false),
});

export const masterMetadataServed = useCaseOf({
  name: 'master-metadata-served',
  rule: 'In a quiescent cluster each front gives the classes of the master domain, as metadata-served says.',
  sender: '10.6.0.50',
  isOfMaster: true,
  play: (useCase) => describe(useCase, true),
});

async function describe(useCase: UseCase, isMaster: boolean): Promise<void> {
  const all = entityKinds(useCase.domain, id).map((kind) => ({
    class: classes[kind.path.split('/').at(-1) ?? ''] ?? '',
    kind,
  }));
  const isOfMasterOnly = ({ kind }: Described) => kind.isOfWorkingDomains === false;
  const working = new Set(['sipuser', 'recordrule']);
  const own = all.filter((each) => (isMaster ? !working.has(each.class) : !isOfMasterOnly(each)));
  const foreign = isMaster ? [...working] : all.filter(isOfMasterOnly).map((each) => each.class);
  await useCase.everywhere(`${entities}/nav.json`, having(own), 0);
  for (const name of [...foreign, 'none', 'constructor'])
    for (const file of ['tab', 'form']) {
      const path = `${entities}/${name}/${file}.json`;
      useCase.expect(path, await useCase.ask(path, { site: useCase.there }), refusing(404));
    }
  for (const [path, judge, request] of [
    [`${entities}/user/other.json`, refusing(404), {}],
    [`${entities}/nav.json`, refusing(401), { session: noSession }],
    [`${entities}/nav.json`, refusing(405), { method: 'POST', body: {} }],
  ] as const)
    useCase.expect(path, await useCase.ask(path, request), judge);
  for (const [index, each] of useCase.share(own).entries()) {
    const site = useCase.siteAt(index);
    for (const [file, judge] of [
      ['tab', listing(each)],
      ['form', editing(each)],
    ] as const) {
      const path = `${entities}/${each.class}/${file}.json`;
      useCase.expect(`${path} at ${site}`, await useCase.ask(path, { site }), judge);
    }
  }
}

function having(own: readonly Described[]): Judge {
  return (answer) => {
    const { groups = [] } = (answer?.body ?? {}) as { groups?: { name: string; classes: Item[] }[] };
    const shown = groups.flatMap((group) => group.classes.map((each) => ({ group: group.name, ...each })));
    const names = shown.map((each) => String((each as Item)['class'])).toSorted();
    const wanted = own.map((each) => each.class).toSorted();
    const misplaced = own.find(({ class: name, kind }) => {
      const found = shown.find((each) => (each as Item)['class'] === name) as Item | undefined;
      const [, , , group] = kind.path.split('/');
      return found?.['group'] !== group || !isPath(found?.['path'], kind);
    });
    if (answer?.status !== 200 || !isSame(names, wanted))
      return `expected ${wanted.join()}, got ${names.join()} in ${longTextOf(answer)}`;
    return misplaced && `the place of ${misplaced.class} in ${longTextOf(answer)}`;
  };
}

/** The path, with names in the place of ids. */
function isPath(path: unknown, kind: EntityKind, end = ''): boolean {
  const given = String(path).split('/');
  const wanted = `${kind.path}${end}`.split('/');
  return given.length === wanted.length && given.every((part, index) => /^<\w+>$/.test(part) || part === wanted[index]);
}

const isOwnField = (name: string) => name !== 'id' && !name.startsWith('ext.');

function listing({ class: name, kind }: Described): Judge {
  return (answer) => {
    const body = (answer?.body ?? {}) as { class?: string; columns?: { name: string }[]; operations?: Item[] };
    const columns = (body.columns ?? []).map((column) => column.name);
    const { listed, lookup } = kind;
    const operations = ['create', 'list', 'get', 'patch', 'delete', ...(lookup === null ? [] : ['lookup'])];
    const shown = body.operations ?? [];
    if (answer?.status !== 200 || body.class !== name) return `expected ${name}, got ${longTextOf(answer)}`;
    if (!isSame(columns.filter(isOwnField).toSorted(), listed.toSorted()) || !columns.includes('id'))
      return `expected the columns ${listed.join()}, got ${columns.join()}`;
    if (!isSame(shown.map((each) => each['name']).toSorted(), operations.toSorted()))
      return `expected the operations ${operations.join()}, got ${JSON.stringify(shown)}`;
    const wrong = shown.find(({ name: operation, method, path }) => {
      const isOfItem = ['get', 'patch', 'delete'].includes(String(operation));
      return method !== methods[String(operation)] || !isPath(path, kind, isOfItem ? '/<id>' : '');
    });
    return wrong && `operation ${JSON.stringify(wrong)}`;
  };
}

/** The fields of an item, of which some are nested, by dotted name. */
function flat(item: Item, prefix = ''): [string, unknown][] {
  return Object.entries(item).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && name !== 'archive'
      ? flat(value as Item, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value] as [string, unknown]],
  );
}

interface FieldOfForm {
  readonly mode?: unknown;
  readonly required?: unknown;
  readonly unique?: unknown;
  readonly secret?: unknown;
  readonly default?: unknown;
}
interface FormField extends FieldOfForm {
  readonly name: string;
  readonly fixed?: unknown;
}
const secrets = ['pwd', 'token_local'];

function editing({ class: name, kind }: Described): Judge {
  return (answer) => {
    const { fields = [], class: shown } = (answer?.body ?? {}) as { fields?: FormField[]; class?: string };
    const all = flat(kind.whole);
    const names = fields.map((each) => each.name).filter(isOwnField);
    const wanted = all.map(([each]) => each);
    if (answer?.status !== 200 || shown !== name) return `expected ${name}, got ${longTextOf(answer)}`;
    if (!isSame(names.toSorted(), wanted.toSorted()))
      return `expected the fields ${wanted.join()}, got ${names.join()}`;
    const { given, unique = [], secret = {} } = kind;
    for (const [field, value] of all) {
      const shownField: FieldOfForm = fields.find((each) => each.name === field) ?? {};
      const { mode, required, unique: isUnique, secret: isSecret, default: initial } = shownField;
      if (isUnique !== unique.includes(field)) return `${field} is ${isUnique === true ? '' : 'not '}unique`;
      if (isSecret !== (Object.hasOwn(secret, field) || secrets.includes(field)))
        return `${field} is ${isSecret === true ? '' : 'not '}secret`;
      if (required === true && !given.includes(field)) return `${field} is required`;
      const isLeftOut = required !== true && !given.includes(field) && mode !== 'out';
      if (isLeftOut && !isSame(initial, value))
        return `the default of ${field}: expected ${JSON.stringify(value)}, got ${JSON.stringify(initial)}`;
    }
    const ownId = fields.find((each) => each.name === 'id');
    return ownId?.fixed === true && ownId.required === false ? undefined : `id: ${JSON.stringify(ownId)}`;
  };
}
