/** The workload of a run. Each of its parts can be replaced while the others go on. */
import { coverOf } from '../../../src/model/domain-tree.ts';
import { limits } from '../../../src/model/limits.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { SeededRandom } from '../../ports/random.ts';
import type { World } from '../../world/world.ts';
import type { Scenario } from '../language/scenario.ts';
import {
  callCommands,
  type Workload,
  type WorkloadChanges,
  type WorkloadClients,
  type WorkloadCommands,
  type WorkloadLogins,
  type WorkloadPhones,
  type WorkloadStep,
  type WorkloadSubscribers,
} from '../language/workloads.ts';
import type { WorkloadReport } from '../report.ts';
import type { ApiClients } from '../run/api-clients.ts';
import { ChangesPart } from './changes.ts';
import { type ClientScope, type ClientsContext, ClientsPart } from './clients/clients.ts';
import { callsPart, loginsPart, type RequestsContext, requestsPart } from './load-parts.ts';
import { PhonesPart } from './phones.ts';
import { ReturningClients } from './returning-clients.ts';
import { SubscribersPart } from './subscribers.ts';
import { drawn, OperationCounter, oneOf, PoissonTimer, totalOf, type WorkloadPart } from './tally.ts';

type PartName = keyof Workload;
const partNames: readonly PartName[] = [
  ...(['calls', 'requests', 'logins', 'changes', 'commands', 'clients', 'phones', 'subscribers'] as const),
];

/** Devices of SIP users that clients make: they stay, and try to register again now and then. */
const mostDevices = 12;

export interface WorkloadContext {
  readonly world: World;
  readonly apiClients: ApiClients;
  readonly clock: Clock;
  readonly seed: number;
  /** The sessions of the scenario. The workload uses them, and its logins count together with them. */
  readonly sessions: Scenario['sessions'];
}

export class Workloads {
  readonly #context: WorkloadContext;
  readonly #apiClients: ReturningClients;
  readonly #random: SeededRandom;
  readonly #fronts: readonly string[];
  readonly #running = new Map<PartName, readonly WorkloadPart[]>();
  /** All parts ever started: replaced and stopped ones still count. */
  readonly #all: { readonly name: string; readonly part: WorkloadPart }[] = [];
  /** The final accounts, once the run has ended. */
  #ended: readonly WorkloadReport[] | undefined;

  constructor(context: WorkloadContext) {
    this.#context = context;
    this.#apiClients = new ReturningClients(context.apiClients, context.sessions);
    this.#random = new SeededRandom(context.seed).fork('the workload');
    this.#fronts = [...new Set(context.world.map.instancesOf('ws').map(({ site }) => site))];
  }

  /** Replaces or ends the named parts. Throws if the topology has no phones or providers for the wanted calls. */
  change(wanted: WorkloadStep): void {
    if (wanted === 'none') return this.stop();
    for (const name of partNames) {
      const part = wanted[name];
      if (part === undefined) continue;
      this.#end(name);
      if (part !== 'none') this.#begin(name, { [name]: part });
    }
  }

  /** Starts nothing more. What has begun runs to its end. */
  stop(): void {
    for (const name of partNames) this.#end(name);
  }

  /** Called before all phones and providers hang up at the end of the load. */
  hangUp(): void {
    for (const { part } of this.#all) part.hangUp?.();
  }

  /** Closes the accounts at the end of the run. */
  end(): void {
    this.stop();
    this.#ended ??= this.tallies();
  }

  /** The counts of all parts ever started, by name. */
  tallies(): readonly WorkloadReport[] {
    if (this.#ended !== undefined) return this.#ended;
    const sums = new Map<string, WorkloadReport>();
    for (const { name: part, part: finished } of this.#all) {
      for (const tally of finished.tallies()) {
        const key = `${part} ${tally.name}`;
        const sum = sums.get(key);
        sums.set(key, { part, ...(sum === undefined ? tally : totalOf(tally.name, [sum, tally])) });
      }
    }
    return [...sums.values()];
  }

  #begin(name: PartName, wanted: Workload): void {
    const { calls, requests = [], logins, changes = [], commands, clients, phones, subscribers } = wanted;
    const { outside } = this.#context.world;
    const parts = [
      ...(calls === undefined ? [] : [callsPart(calls, outside)]),
      ...requests.map((each, i) => requestsPart(each, this.#contextOf(`requests ${i}`))),
      ...(logins === undefined ? [] : [this.#loginsPart(logins)]),
      ...changes.map((each, i) => this.#changesPart(each, i)),
      ...(commands === undefined ? [] : [this.#commandsPart(commands)]),
      ...(clients === undefined ? [] : [this.#clientsPart(clients)]),
      ...(phones === undefined ? [] : [this.#phonesPart(phones)]),
      ...(subscribers === undefined ? [] : [this.#subscribersPart(subscribers)]),
    ];
    this.#running.set(name, parts);
    this.#all.push(...parts.map((part, i) => ({ name: parts.length === 1 ? name : `${name} ${i + 1}`, part })));
    for (const part of parts) part.start();
  }

  #domainOf(session: string): string {
    return this.#context.sessions[session]?.domain ?? '';
  }

  #loginsPart(wanted: WorkloadLogins): WorkloadPart {
    const all = Object.values(this.#context.sessions);
    const others = all.filter(({ domain, login }) => domain === wanted.domain && login === wanted.login);
    return loginsPart(wanted, { ...this.#contextOf('logins'), maxOpen: limits.sessionsPerUser - others.length });
  }

  #changesPart(wanted: WorkloadChanges, index: number): WorkloadPart {
    const domain = this.#domainOf(wanted.as);
    return new ChangesPart(wanted, { ...this.#contextOf(`changes ${index}`), domain });
  }

  #commandsPart(wanted: WorkloadCommands): WorkloadPart {
    const domain = this.#context.world.map.domains.get(this.#domainOf(wanted.as));
    const numbers = domain?.sipusers.map(({ phonenumber }) => phonenumber) ?? [];
    return commandsPart(wanted, { ...this.#contextOf('commands'), numbers });
  }

  #phonesPart(wanted: WorkloadPhones): WorkloadPart {
    const { outside, map } = this.#context.world;
    return new PhonesPart(wanted, { ...this.#contextOf('phones'), outside, map });
  }

  #subscribersPart(wanted: WorkloadSubscribers): WorkloadPart {
    const { sessions, world } = this.#context;
    const logins = wanted.as.flatMap((name) => {
      const login = sessions[name];
      const users = login === undefined ? [] : (world.map.domains.get(login.domain)?.sipusers ?? []);
      return login === undefined ? [] : { ...login, numbers: users.map(({ phonenumber }) => phonenumber) };
    });
    const openSocket: World['openSocket'] = (...asked) => world.openSocket(...asked);
    return new SubscribersPart(wanted, { ...this.#contextOf('subscribers'), logins, openSocket });
  }

  #clientsPart(wanted: WorkloadClients): WorkloadPart {
    const scopes = wanted.as.map((session) => this.#scopeOf(session));
    const { map, outside } = this.#context.world;
    const gates = map.instancesOf('sg');
    const registerUnknownDevice: ClientsContext['registerUnknownDevice'] = (device) => {
      for (const gate of gates) outside.registerUnknown({ ...device, gate });
    };
    const callAs: ClientsContext['callAs'] = (device, number) => {
      const own = gates.filter(({ domains }) => coverOf(device.domain, domains) !== undefined);
      for (const gate of own.slice(0, 1)) outside.callUnknown({ ...device, gate }, number);
    };
    let connected = 0;
    const connect: ClientsContext['connect'] = (device) => {
      const isServed = gates.some(({ domains }) => coverOf(device.domain, domains) !== undefined);
      if (!isServed || connected >= mostDevices) return undefined;
      connected += 1;
      const name = outside.addPhone(device);
      return {
        register: () => outside.register(name),
        unregister: () => outside.unregister(name),
        silence: () => outside.silence(name),
      };
    };
    return new ClientsPart(wanted, { ...this.#contextOf('clients'), scopes, registerUnknownDevice, callAs, connect });
  }

  #scopeOf(session: string): ClientScope {
    const { world, sessions } = this.#context;
    const { map } = world;
    const { domain = '', login = '', pwd = '' } = sessions[session] ?? {};
    return {
      session,
      domain,
      login,
      pwd,
      isOfMasterDomain: domain === map.masterDomain,
      sites: [...map.sites.keys()],
      instances: [...map.instances.values()].map(({ name }) => name),
      numbers: map.domains.get(domain)?.sipusers.map(({ phonenumber }) => phonenumber) ?? [],
      now: () => world.now(),
    };
  }

  #end(name: PartName): void {
    for (const part of this.#running.get(name) ?? []) part.stop();
    this.#running.delete(name);
  }

  #contextOf(name: string): RequestsContext {
    const { clock } = this.#context;
    return {
      apiClients: this.#apiClients,
      clock,
      fronts: this.#fronts,
      random: this.#random.fork(name).stream('jitter'),
    };
  }
}

type Command = (typeof callCommands)[number];
type Item = Readonly<Record<string, unknown>>;

const calls = '/rest/v1/uc/calls';
const conferences = '/rest/v1/uc/conferences';

/** For each command to a live call or conference: the list of its targets, the path of their id, and its body. */
interface Form {
  readonly list: string;
  readonly id: string;
  readonly method: string;
  /** Appended to the path of the item. */
  readonly below?: string;
  readonly body?: (number: string) => Item;
}

const forms: Readonly<Record<Command, Form>> = {
  end: { list: calls, id: 'dialogid', method: 'DELETE' },
  transfer: { list: calls, id: 'dialogid', method: 'REFER', body: (number) => ({ by: 'a', referto: number }) },
  hold: { list: calls, id: 'dialogid', method: 'NOTIFY', body: () => ({ to: 'b', event: 'hold' }) },
  resume: { list: calls, id: 'dialogid', method: 'NOTIFY', body: () => ({ to: 'b', event: 'talk' }) },
  dtmf: { list: calls, id: 'dialogid', method: 'SEND_DTMF', body: () => ({ to: 'b', dtmf: '5' }) },
  conference: { list: calls, id: 'dialogid', method: 'SWITCHCONF', body: () => ({}) },
  invite: {
    list: conferences,
    id: 'confid',
    method: 'POST',
    below: '/participants',
    body: (number) => ({ to: number }),
  },
  endConference: { list: conferences, id: 'confid', method: 'DELETE' },
};

const usualMix: Readonly<Partial<Record<Command, number>>> = {
  end: 2,
  transfer: 2,
  hold: 1,
  resume: 1,
  dtmf: 1,
  conference: 1,
  invite: 1,
  endConference: 1,
};

interface CommandsContext extends RequestsContext {
  /** Numbers of SIP users of the domain. */
  readonly numbers: readonly string[];
}

function commandsPart(wanted: WorkloadCommands, context: CommandsContext): WorkloadPart {
  const { rate, through = context.fronts, as, mix = usualMix } = wanted;
  const accounts = new Map(callCommands.map((command) => [command, new OperationCounter(`command ${command}`)]));
  const command = async (name: Command): Promise<void> => {
    const { list, id, method, below = '', body } = forms[name];
    const site = oneOf(through, context.random) ?? '';
    const number = oneOf(context.numbers, context.random) ?? '';
    const draw = context.random.float();
    const listed = await context.apiClients.sendOrNone({
      through: site,
      as,
      method: 'GET',
      path: `${list}?limit=50&mask=${id}`,
    });
    const items = Array.isArray(listed?.body) ? (listed.body as Item[]) : [];
    const item = items[Math.floor(draw * items.length)];
    const account = accounts.get(name);
    // Without a target no command was started.
    if (item === undefined || account === undefined) return;
    account.started += 1;
    const path = `${list}/${item[id]}${below}`;
    const asked = { through: site, as, method, path, ...(body !== undefined && { body: body(number) }) };
    const answer = await context.apiClients.sendOrNone(asked);
    account.record(answer);
  };
  const timer = new PoissonTimer(rate, context, () => {
    const name = drawn(Object.entries(mix) as [Command, number][], context.random);
    if (name !== undefined) void command(name);
  });
  return {
    start: () => timer.start(),
    stop: () => timer.stop(),
    // Some commands arrive after the end of their target, so only their sum needs a success.
    tallies: () => {
      const tallies = [...accounts.values()].map((account) => account.report());
      return [totalOf('commands', tallies)];
    },
  };
}
