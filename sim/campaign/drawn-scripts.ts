/**
 * Scripts of a campaign: in half of the runs the customers have a service script and an IVR script with effects of all kinds. They are
 * started by an external system and by calls, while the system that gets their webhooks fails, and the network to it is hostile.
 */
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { Chance } from './chance.ts';

type Data = Record<string, unknown>;

interface Timed {
  readonly atMs: number;
  readonly step: Data;
  readonly canWait?: boolean;
}

interface ScriptStory {
  /** Each begins at its time, whatever the others do. */
  readonly starts: readonly Timed[];
  /** HTTP faults and their repair. */
  readonly faults: readonly Timed[];
  /** After all faults: runs under way can end. */
  readonly last: readonly Data[];
}

/** Share of the runs. */
const share = 2 / 3;
const receiver = 'https://hook.test/';
const [serviceScript, nestedScript, loginScript] = ['campaign-hook', 'campaign-inner', 'campaign-login'];
const [callScript, callNumber] = ['campaign-menu', '700'];
const appFolder = 'campaign-app';
/** A user of each customer: no other client logs in as this one. */
const guest = 'user';
/** Shorter than the wait before the last checks. */
const durationSec = 30;
/** More than the scripts of a campaign execute; a use case makes one as long as this. */
const componentCount = 150;
const longestFaultMs = 10_000;
/** How often scripts of a customer are started at the same moment, and which ones besides the first. */
const burstShare = 1 / 6;
const burst = [1, 2] as const;

/** Adds scripts to the customers of a topology, or nothing. */
export function addScripts(domains: readonly Data[], chance: Chance): void {
  if (!chance.is(share)) return;
  const [master] = domains;
  // Its script is that of a use case.
  if (master !== undefined)
    master['opts'] = { ...(master['opts'] as Data | undefined), iam_token_svcscript_code: 'campaign-token' };
  for (const domain of domains.slice(1)) {
    domain['opts'] = {
      ...(domain['opts'] as Data | undefined),
      script_duration_sec: durationSec,
      script_limit_component_count: componentCount,
      iam_external_svcscript_code: loginScript,
      script_allow_global_variables: true,
    };
    const called = (domain['sipusers'] as { phonenumber: string }[]).at(-1)?.phonenumber;
    domain['items'] = {
      svcscript: [
        { code: serviceScript, components: serviceComponents(chance) },
        { code: nestedScript, components: nestedComponents() },
        { code: loginScript, components: loginComponents(String(domain['name'])) },
      ],
      roleapp: [{ folder: appFolder, svcscriptcode: serviceScript, opts: { recv_timeout: chance.one([1, 3]) } }],
      ivrscript: [{ code: callScript, number: callNumber, components: callComponents(chance, called) }],
      integrationchannel: [
        {
          code: 'hook',
          token_local: tokenOf(String(domain['name'])),
          svcscriptcode: serviceScript,
          opts: { recv_timeout: chance.one([1, 3]) },
        },
      ],
    };
    const [first] = domain['sipusers'] as { phonenumber: string }[];
    const numbers = (domain['numbers'] ?? {}) as Data;
    // Late, the second digit is missing when the time of the menu is over.
    const afterMs = chance.one([500, 2_000]);
    const presses = [{ afterMs, digits: afterMs > 500 ? '1' : '12' }];
    if (first !== undefined && numbers[first.phonenumber] === undefined && chance.is(1 / 2))
      domain['numbers'] = { ...numbers, [first.phonenumber]: { presses } };
  }
}

/** Some customers with scripts may run only one or two at a time at a site. */
export function limitScripts(domains: readonly Data[], chance: Chance): void {
  for (const domain of domains.slice(1)) {
    const limit = chance.one([0, 0, 1, 1, 2]);
    if (domain['items'] !== undefined && limit > 0)
      domain['opts'] = { ...(domain['opts'] as Data | undefined), script_limit_site_count: limit };
  }
}

/** Scripts of some customers pause between two components: so an instance can be lost while a run is between them. */
export function pauseScripts(domains: readonly Data[], chance: Chance): void {
  for (const domain of domains.slice(1)) {
    if (domain['items'] !== undefined && chance.is(1 / 3))
      domain['opts'] = { ...(domain['opts'] as Data | undefined), script_pause_between_components: 50 };
  }
}

/** The runs of a campaign whose topology has scripts. `nameOf`: of the session of a domain. */
export function drawScripts(
  map: ClusterMap,
  chance: Chance,
  { fromMs, untilMs, nameOf }: { fromMs: number; untilMs: number; nameOf: (domain: string) => string },
): ScriptStory {
  const customers = map.topology.domains.filter(({ items }) => items['svcscript'] !== undefined);
  if (customers.length === 0) return { starts: [], faults: [], last: [] };
  const fronts = [...new Set(map.instancesOf('ws').map(({ site }) => site))];
  const at = () => chance.integer(fromMs, untilMs);
  const stub = (answer: unknown) => ({ stub: { url: receiver, answer } });
  const starts = Array.from({ length: chance.integer(4, 16) }, (_, order): Timed[] => {
    const { name, sipusers } = chance.one(customers);
    const through = chance.one(fronts);
    const from = sipusers.length === 0 ? undefined : chance.one(sipusers).phonenumber;
    const start = from === undefined || chance.is(2 / 3) ? execute(name, order, chance) : call(from, chance);
    const own = { through, as: nameOf(name) };
    const atMs = at();
    const more = chance.is(burstShare) ? burst.map((nth) => execute(name, 100 * nth + order, chance)) : [];
    return [start, ...more].map((each) => ({ atMs, step: { request: { ...own, ...each } } }));
  }).flat();
  const answers = Array.from(
    { length: chance.integer(0, 3) },
    (): Timed => ({ atMs: at(), step: stub(answerOf(chance)) }),
  );
  return {
    starts: [{ atMs: 0, step: stub(answerOf(chance)) }, ...starts, ...answers],
    faults: faultsOf(chance, at),
    last: [
      stub({ status: 204 }),
      // Whichever instances serve now: they find what runs have left.
      ...customers.flatMap(({ name }, order) =>
        fronts.map((through) => ({ request: { through, as: nameOf(name), ...execute(name, 1_000 + order, chance) } })),
      ),
    ],
  };
}

function tokenOf(domain: string): string {
  return `a-token-of-${domain}`;
}

function execute(domain: string, order: number, chance: Chance): Data {
  const path = chance.one(['/exec', '/exec?timeout=1']);
  const draw = chance.integer(1, 6);
  if (draw === 1) return { as: undefined, method: 'POST', path: '/rest/v1/iam/external', body: { domain, step: 1 } };
  if (draw === 2)
    return { method: 'POST', path, headers: { referer: `http://front/app/${appFolder}` }, body: { order } };
  return {
    as: undefined,
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${tokenOf(domain)}` },
    body: { order },
  };
}

function call(from: string, chance: Chance): Data {
  const path = '/rest/v1/uc/calls';
  const response_mode = chance.integer(0, 1);
  return chance.is(1 / 2)
    ? { method: 'INVITEBYIVR', path, body: { from, ivrscript: callScript, response_mode } }
    : { method: 'POST', path, body: { from, to: callNumber, response_mode, timeout: 10 } };
}

function answerOf(chance: Chance): unknown {
  const answers = [
    { status: 200 },
    { status: 404 },
    { status: 503 },
    { status: 200, afterMs: 2_500 },
    'silent',
    'reset',
  ];
  return chance.one(answers);
}

/** Some kinds of faults of the network to the receiver. */
function faultsOf(chance: Chance, at: () => number): Timed[] {
  const probability = () => chance.one([0.2, 0.5, 1]);
  const kinds: readonly [verb: string, details: () => Data][] = [
    ['refuseHttp', () => ({ probability: probability() })],
    ['delayHttp', () => ({ by: chance.one(['100ms', '2s', '8s']) })],
    ['duplicateHttp', () => ({ probability: probability() })],
    ['reorderHttp', () => ({ probability: probability() })],
    ['forgeHttp', () => ({ probability: probability() })],
    ['truncateHttp', () => ({ probability: probability() })],
  ];
  return chance.subset(kinds).flatMap(([verb, details]): Timed[] => {
    const atMs = at();
    const name = `http-${verb}`;
    const untilMs = atMs + chance.integer(500, longestFaultMs);
    return [
      { atMs, step: { fault: { [verb]: details(), name } } },
      { atMs: untilMs, step: { fault: { mend: name } }, canWait: true },
    ];
  });
}

/** What happens when a failover leaves the outcome of an effect open. */
function unknownOf(chance: Chance): Data {
  return chance.is(1 / 2) ? { unknown: 'repeat' } : { unknown: 'indefinite' };
}

function http(name: string, next: string, chance: Chance, details: Data): Data {
  const patience = { timeout: chance.one([1, 3]), retries: chance.one([0, 2, 5]) };
  const branches = { next, failed: next, indefinite: next };
  return {
    name,
    type: 'http',
    method: 'POST',
    secret: "'a shared secret'",
    ...patience,
    ...unknownOf(chance),
    ...branches,
    ...details,
  };
}

const leave = "setglobal('last', startparam(4).order === undefined ? 'none' : startparam(4).order)";

/** Each effect names the order: what belongs together can be seen at the receivers. */
function serviceComponents(chance: Chance): Data[] {
  const branches = (next: string) => ({ next, failed: next, indefinite: next });
  return [
    { name: 'start', type: 'start', next: 'count' },
    // What the run before has left, and what this one leaves.
    { name: 'count', type: 'assign', set: { before: "getglobal('last')", left: leave }, next: 'send' },
    http('send', 'text', chance, { url: `'${receiver}orders'`, body: '{ order: startparam(4).order }' }),
    {
      name: 'text',
      type: 'sms',
      to: "'+4930100200'",
      text: "'order ' + startparam(4).order",
      ...unknownOf(chance),
      ...branches('rest'),
    },
    { name: 'rest', type: 'wait', seconds: chance.one(['0', '2', '6']), next: 'note' },
    {
      name: 'note',
      type: 'operation',
      operation: 'entity.create',
      ...unknownOf(chance),
      ...branches('nested'),
      params: { kind: "'contactgroup'", values: "{ code: 'order-' + startparam(4).order }" },
    },
    {
      name: 'nested',
      type: 'script',
      code: `'${nestedScript}'`,
      params: { order: 'startparam(4).order' },
      result: 'inner',
      next: 'done',
    },
    { name: 'done', type: 'assign', set: { response_content: '{ done: startparam(4).order, inner }' } },
  ];
}

/** It passes its effect twice: each time it is another one. */
function nestedComponents(): Data[] {
  return [
    { name: 'start', type: 'start', next: 'first' },
    { name: 'first', type: 'assign', set: { passes: '0' }, next: 'pass' },
    { name: 'pass', type: 'assign', set: { passes: 'passes + 1' }, next: 'confirm' },
    {
      name: 'confirm',
      type: 'sms',
      to: "'+4930100201'",
      text: "'done ' + order",
      next: 'again',
      failed: 'again',
      indefinite: 'again',
    },
    { name: 'again', type: 'branch', condition: 'passes < 2', yes: 'pass', no: 'end' },
    { name: 'end', type: 'stop' },
  ];
}

/** External authentication: logs the guest in. */
function loginComponents(domain: string): Data[] {
  const params = { domain: `'${domain}'`, login: `'${guest}'` };
  return [
    { name: 'start', type: 'start', next: 'session' },
    { name: 'session', type: 'operation', operation: 'session.create', params, next: 'done', failed: 'away' },
    { name: 'done', type: 'assign', set: { success: 'true' } },
    { name: 'away', type: 'assign', set: { success: 'false', message: "'later'" } },
  ];
}

/** In half of the runs it calls a number, too, while the caller waits. */
function callComponents(chance: Chance, called: string | undefined): Data[] {
  const ring = {
    type: 'call',
    to: `'${called}'`,
    seconds: chance.one(['2', '6']),
    next: 'menu',
    timeout: 'menu',
    failed: 'menu',
  };
  const isCalling = called !== undefined && chance.is(1 / 2);
  return [
    { name: 'start', type: 'start', next: 'answer' },
    { name: 'answer', type: 'answer', next: isCalling ? 'ring' : 'menu', failed: 'bye' },
    ...(isCalling ? [{ name: 'ring', ...ring }] : []),
    { name: 'menu', type: 'menu', digits: 2, seconds: '3', next: 'more', timeout: 'more', failed: 'bye' },
    { name: 'more', type: 'menu', seconds: '1', result: 'more', next: 'send', timeout: 'send', failed: 'bye' },
    http('send', 'look', chance, { url: `'${receiver}calls'`, body: '{ from: startparam(1), menus: [digits, more] }' }),
    { name: 'look', type: 'operation', operation: 'call.list', next: 'bye', failed: 'bye', indefinite: 'bye' },
    { name: 'bye', type: 'hangup' },
  ];
}
