/** The states that the interface shows are those of the entities that it shows. */
import type { ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { byType, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

type Item = Readonly<Record<string, unknown>>;

/** A state that an answer shows, of an entity or of a group of entities. */
interface Shown {
  readonly what: string;
  readonly state: unknown;
  /** Entities of this machine whose keys begin so. */
  readonly machine: string;
  readonly prefix: string;
  /** The state to show for each state that is held. */
  readonly expected: (states: readonly string[]) => unknown;
}

interface HeldEntity {
  readonly state: string;
  readonly sinceMs: number;
}

/** What is shown of the machine of a dialog. */
const callStates: Readonly<Record<string, string>> = {
  routing: 'init',
  forking: 'forking',
  talking: 'dialog',
  over: 'ending',
  stopped: 'ending',
};
const first = ([state]: readonly string[]) => state?.split('.')[0];
const machines = ['dialog', 'participant', 'registration', 'ping', 'binding'];
const paths = /\/(uc\/calls|participants|sipuser_states)(\/[^/]+)?$|\/dashboards\/info$|\/master\/nodes(\/[^/]+)?$/;

export const statesShown: OracleMaker = {
  name: 'states-shown',
  rule: 'The states that the interface shows, of calls, participants, SIP users, provider accounts and nodes, are the ones that the instances hold, if these have had them for two seconds; while nothing is broken.',
  make: ({ map, check, fail, fired }) => {
    const { quickMs, promptMs, streamCatchUpMs, comparedMs } = boundsOf(map);
    const inside = new Undisturbed();
    /** By machine and key; a binding has several, by owner. */
    const held = new Map<string, Map<string, HeldEntity>>(machines.map((name) => [name, new Map()]));
    /** When an entity was gone, by machine and key. */
    const goneMs = new Map<string, number>();
    const statuses = new Map<string, HeldEntity>();
    /** The participant of a conference, by `ID/CREATED/NUMBER` of that of its meeting. */
    const members = new Map<string, string>();
    let wasBroken = false;
    /** How often messages of streams were lost, and when that was noticed last. */
    const lost = { count: 0, atMs: Number.NEGATIVE_INFINITY };
    /** The same of copies of registrations. */
    const untold = { count: 0, atMs: Number.NEGATIVE_INFINITY };

    const isCalm = (atMs: number) => {
      const count = fired('stream.unheard') + fired('events.unheard');
      if (count > lost.count) Object.assign(lost, { count, atMs });
      const copies = fired('registrar.untold');
      if (copies > untold.count) Object.assign(untold, { count: copies, atMs });
      if (atMs - lost.atMs <= streamCatchUpMs) return false;
      return inside.forMs(atMs) > (wasBroken || count > 0 ? streamCatchUpMs + promptMs : promptMs);
    };
    const judge = ({ what, state, machine, prefix, expected }: Shown, said: string, atMs: number) => {
      // By its mask.
      if (state === undefined) return;
      const found = [...(held.get(machine) ?? [])].filter(([key]) => key.startsWith(prefix));
      const changedMs = Math.max(
        ...found.map(([, { sinceMs }]) => sinceMs),
        goneMs.get(`${machine} ${prefix}`) ?? Number.NEGATIVE_INFINITY,
      );
      if (atMs - changedMs <= quickMs || (machine === 'binding' && atMs - untold.atMs <= comparedMs)) return;
      check();
      const wanted = expected(found.map(([, entity]) => entity.state));
      if (wanted !== state) fail(`${said} shows ${what} as ${String(state)}, which is ${String(wanted)}`);
    };
    const judgeNode = ({ name, type, status }: Item, said: string, atMs: number) => {
      const known = statuses.get(String(name));
      if (type !== 'role' || known === undefined || atMs - known.sinceMs <= promptMs) return;
      check();
      if (known.state !== status) fail(`${said} shows ${String(name)} as ${String(status)}, which is ${known.state}`);
    };
    const requests = new ClientRequests(
      (method, path) => method === 'GET' && paths.test(path),
      (request, answer) => {
        const { status, body, returnedMs, ageS } = answer;
        const isQuick = returnedMs - request.calledMs < quickMs / 2;
        if (status !== 200 || ageS !== undefined || !isQuick || !isCalm(returnedMs)) return;
        const said = `${request.site}, GET ${request.path},`;
        const items = (Array.isArray(body) ? body : [body]).filter((each) => typeof each === 'object' && each !== null);
        if (request.path.includes('/master/nodes')) for (const item of items) judgeNode(item as Item, said, returnedMs);
        for (const shown of items.flatMap((item) => shownBy(item as Item, request, members)))
          judge(shown, said, returnedMs);
        const missing = missingIn(request, answer, held.get('participant') ?? new Map());
        if (missing !== undefined) fail(`${said} does not show ${missing}`);
      },
      () => {},
    );
    const listeners: ObservationListeners = {
      'entity.state': byType(machines, ({ owner, machine, key, state, atMs }) => {
        const entities = held.get(machine);
        const name = machine === 'binding' ? `${key} ${owner}` : key;
        if (entities === undefined || entities.get(name)?.state === state) return;
        if (state !== undefined) return void entities.set(name, { state, sinceMs: atMs });
        entities.delete(name);
        const user = key.split('/').slice(0, 2).join('/');
        goneMs.set(`${machine} ${machine === 'binding' ? `${user}/` : key}`, atMs);
      }),
      'instance.status': ({ instance, status, atMs }) =>
        void statuses.set(map.instances.get(instance)?.name ?? '', { state: status, sinceMs: atMs }),
      'fault.inflicted': ({ verb }) => {
        if (!verb.endsWith('Http')) wasBroken = true;
      },
      'envelope.sent': {
        'conference.list': ({ envelope: { kind, body } }) => {
          if (kind !== 'reply') return;
          const { conferences = [] } = body as Partial<ReplyOf<'conference.list'>>;
          for (const { participants } of conferences)
            for (const { participantid, member } of participants)
              if (member !== undefined) members.set(member, participantid);
        },
      },
    };
    return {
      listeners: together(inside.listeners, requests.listeners, listeners),
    };
  },
};

/** The states that an item of an answer shows. */
function shownBy(item: Item, { path, domain }: ObservedRequest, members: ReadonlyMap<string, string>): Shown[] {
  const { dialogid, participantid, status, state, username, id, ext, number } = item;
  if (typeof dialogid === 'string' && status !== undefined && /\/uc\/calls(\/|$)/.test(path)) {
    const expected = (states: readonly string[]) => callStates[first(states) ?? ''] ?? status;
    return [{ what: `the call ${dialogid}`, state: status, machine: 'dialog', prefix: dialogid, expected }];
  }
  if (typeof participantid === 'string' && state !== undefined)
    return [{ what: participantid, state, machine: 'participant', prefix: participantid, expected: first }];
  if (path.includes('/selectors/') && typeof id === 'string' && state !== undefined) {
    const own = members.get(`${id}/${(ext as Item | undefined)?.['ct']}/${String(number)}`);
    const expected = (states: readonly string[]) => first(states.filter((each) => each !== 'gone')) ?? 'waiting';
    const what = `the participant ${id}`;
    return own === undefined ? [] : [{ what, state, machine: 'participant', prefix: own, expected }];
  }
  if (typeof username === 'string' && domain !== undefined && path.includes('/sipuser_states')) {
    const prefix = `${domain}/${username}/`;
    const expected = (states: readonly string[]) => onlineAs(states) ?? status;
    return [{ what: `${username} of ${domain}`, state: status, machine: 'binding', prefix, expected }];
  }
  return path.endsWith('/dashboards/info') ? accountsIn(item) : [];
}

/** `undefined`: the instances differ. */
function onlineAs(states: readonly string[]): string | undefined {
  const registered = states.filter((state) => state === 'registered').length;
  if (registered > 0 && registered < states.length) return undefined;
  return registered > 0 ? 'online' : 'offline';
}

function accountsIn({ sites }: Item): Shown[] {
  const servers = listIn(sites).flatMap((site) => listIn(site['servers']));
  return servers
    .flatMap((server) => listIn(server['regs']))
    .flatMap(({ d, code, regstate, pingstate }) => {
      const prefix = `${String(d)}/${String(code)}`;
      const of = (machine: string, state: unknown): Shown[] =>
        state === undefined
          ? []
          : [
              {
                what: `the ${machine} of ${prefix}`,
                state,
                machine,
                prefix,
                expected: (states) => first(states) ?? state,
              },
            ];
      return [...of('registration', regstate), ...of('ping', pingstate)];
    });
}

/** A participant of the conference that its list lacks. */
function missingIn(
  { path, query }: ObservedRequest,
  { body, returnedMs }: ObservedAnswer,
  held: ReadonlyMap<string, HeldEntity>,
): string | undefined {
  const [, confid] = /\/conferences\/([^/]+)\/participants$/.exec(path) ?? [];
  if (confid === undefined || !Array.isArray(body) || query.size > 0) return undefined;
  const shown = new Set((body as Item[]).map(({ participantid }) => participantid));
  const [missing] = [...held].find(([key, { state, sinceMs }]) => {
    const isOwn = key.startsWith(`${confid}-`) && state !== 'gone' && returnedMs - sinceMs > 2_000;
    return isOwn && !shown.has(key);
  }) ?? [undefined];
  return missing;
}

function listIn(value: unknown): readonly Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}
