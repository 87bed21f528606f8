/**
 * Use cases: what an oracle does itself in a cluster that has recovered, and what must come of it at each front. A drawn
 * workload meets a feature in some runs; a use case uses it in each.
 */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { isWilling, reactionOf } from '../../../../outside/behaviour.ts';
import type { CallView } from '../../../../outside/endpoints/endpoint-call.ts';
import type { PhoneView } from '../../../../outside/endpoints/phone.ts';
import { boundsOf } from '../../../bounds.ts';
import type { OracleContext, OracleMaker } from '../../../oracle.ts';
import type { LoginData, OracleRequest, OwnSession, QuestionAnswer } from '../../../questions.ts';
import type { Item } from '../../kit/selection.ts';
import { current, states } from './paths.ts';

export type { Item };

/** What is wrong with an answer; `undefined`: nothing. */
export type Judge = (answer: QuestionAnswer | undefined) => string | undefined;

export interface UseCaseRule<C extends UseCase> {
  readonly name: string;
  /** One sentence; that of a use case begins with "In a quiescent cluster", that of a drill with "When". */
  readonly rule: string;
  readonly exclusions?: string;
  /** How often a run draws it, against others. Default: 1. */
  readonly weight?: number;
  /** The address of its client: each use case has its own, since clients of the workload may have got the usual one banned. */
  readonly sender: string;
  /** Default: it is played in a working domain. */
  readonly isOfMaster?: boolean;
  play(useCase: C): Promise<void>;
}

/** `site`: default `here`. `session`: default that of the administrator of `domain`, which is by default that of the use case. */
type UseCaseRequest = Omit<OracleRequest, 'site' | 'domain' | 'path'> & {
  readonly site?: string;
  /** For what is asked at several: the ones that are asked. Default: all whose front was open when the use case began. */
  readonly sites?: readonly string[];
  readonly session?: OwnSession;
  readonly domain?: string;
};

interface Turn {
  /** The number of the domain among those in which the use case may be played, and how many there are. */
  readonly turn: number;
  readonly turns: number;
  /** Which site is `here`. */
  readonly first: number;
}

/** An item that was made for a use case. */
interface MadeItem {
  readonly id: string;
  readonly path: string;
  readonly answer: QuestionAnswer;
  /** What the answer shows of it. */
  readonly item: Item;
}

/** What is wrong, and when it was seen. */
interface Problem {
  readonly text: string;
  readonly atMs: number;
}

const onlyTurn: Turn = { turn: 0, turns: 1, first: 0 };

export class UseCase {
  readonly domain: string;
  /** Sites whose front is open. */
  readonly sites: readonly string[];
  /** The site where it asks by default. */
  readonly here: string;
  /** Another site, where there is one. */
  readonly there: string;
  /** What was done is known everywhere by then. */
  readonly quickMs: number;
  readonly context: OracleContext;
  readonly problems: Problem[] = [];
  /** The address of its client. */
  readonly sender: string;
  readonly #turn: Turn;
  readonly #ends: (() => Promise<unknown>)[] = [];

  constructor(context: OracleContext, domain: string, sender: string, turn: Turn = onlyTurn) {
    const { questions, map } = context;
    this.context = context;
    this.domain = domain;
    this.sites = questions.sites;
    this.here = this.sites[turn.first % this.sites.length] ?? '';
    this.there = this.sites[(turn.first + 1) % this.sites.length] ?? this.here;
    this.quickMs = boundsOf(map).quickMs;
    this.sender = sender;
    this.#turn = turn;
  }

  /** Whether no clock was set in this run. */
  get areClocksRight(): boolean {
    return this.context.areClocksRight();
  }

  /** Callstores know by then what has become of a call, and have the record of one that has ended. */
  get patienceMs(): number {
    return boundsOf(this.context.map).promptMs;
  }

  /** The part that is done in this domain, where others do the rest. */
  share<T>(all: readonly T[]): T[] {
    return all.filter((_, index) => index % this.#turn.turns === this.#turn.turn);
  }

  /** A site, another one for each `index`. */
  siteAt(index: number): string {
    return this.sites[index % this.sites.length] ?? this.here;
  }

  /** A number that differs from run to run. */
  get drawn(): number {
    return drawnAt(this.context);
  }

  /** All of them, beginning with another one from run to run. */
  turned<T>(all: readonly T[]): T[] {
    const first = this.drawn % Math.max(1, all.length);
    return [...all.slice(first), ...all.slice(0, first)];
  }

  /** The phones of a user. */
  phonesOf({ login }: { readonly login: string }, domain = this.domain): readonly PhoneView[] {
    const name = `${domain}/${login}`;
    return this.context.phones().filter((phone) => phone.name === name || phone.name.startsWith(`${name}/`));
  }

  /** The calls of the phones of a user, as these have them: whatever the platform knows. */
  callsOf(user: { readonly login: string }): readonly CallView[] {
    return this.phonesOf(user).flatMap(({ calls }) => calls);
  }

  /** The instance that has a call or a conference, by the id of its dialog or its own, which begins with its number. */
  ownerOf(role: 'b2b' | 'conf', id: string): InstanceEntry | undefined {
    return this.context.map.instanceNamed(`${role}-${id.split('-')[0]}`);
  }

  ask(
    path: string,
    { site = this.here, sites: _, session, domain = this.domain, ...request }: UseCaseRequest = {},
  ): Promise<QuestionAnswer | undefined> {
    const { questions } = this.context;
    const sent = { path, sender: this.sender, ...request };
    return session === undefined ? questions.ask({ site, domain, ...sent }) : questions.askAs(session, site, sent);
  }

  /** Is done when the play is over, however it ends; what was begun last is ended first. */
  afterwards(end: () => Promise<unknown>): void {
    this.#ends.push(end);
  }

  /** Ends what it has begun. */
  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
  }

  /** Makes an item, which is removed afterwards; `undefined`: it is refused. Others judge that: a disk may be full. */
  async make(collection: string, body: Item, asked: UseCaseRequest = {}): Promise<MadeItem | undefined> {
    const answer = await this.ask(collection, { ...asked, method: 'POST', body });
    if (answer?.status !== 200) return undefined;
    const item = answer.body as Item;
    const id = String(item['id']);
    const path = `${collection}/${id}`;
    const { domain = this.domain } = asked;
    this.afterwards(() => this.ask(path, { domain, method: 'DELETE' }));
    return { id, path, answer, item };
  }

  /** The same in another domain, whose problems are among those of this one. It ends with this one. */
  elsewhere(domain: string): UseCase {
    const other = new UseCase(this.context, domain, this.sender);
    this.afterwards(async () => {
      await other.end();
      this.problems.push(...other.problems.map(({ text, atMs }) => ({ text: `${domain}: ${text}`, atMs })));
    });
    return other;
  }

  /** A session of a user of the domain; default: of its administrator. */
  login(user: LoginData | undefined, site = this.here): Promise<OwnSession | undefined> {
    return this.context.questions.login(site, this.domain, user, this.sender);
  }

  /** Something is wrong now. */
  report(...texts: readonly string[]): void {
    const atMs = this.context.now();
    this.problems.push(...texts.map((text) => ({ text, atMs })));
  }

  /** Judges one answer. Returns whether it is right. */
  expect(what: string, answer: QuestionAnswer | undefined, judge: Judge): boolean {
    this.context.check();
    const wrong = judge(answer);
    if (wrong !== undefined) this.report(`${what}: ${wrong}`);
    return wrong === undefined;
  }

  /** Judges what each front answers, by default to a GET, until all are right or the time is over. Returns whether they are. */
  async everywhere(
    path: string,
    judge: Judge,
    withinMs = this.quickMs,
    request: UseCaseRequest = {},
  ): Promise<boolean> {
    const { sites = this.sites } = request;
    const wrong = await this.context.questions.eventually(withinMs, async () => {
      const found = await Promise.all(
        sites.map(async (site) => [site, judge(await this.ask(path, { ...request, site }))] as const),
      );
      return found.flatMap(([site, what]) =>
        what === undefined ? [] : [`${site}, ${request.method ?? 'GET'} ${path}: ${what}`],
      );
    });
    this.context.check();
    this.report(...wrong.slice(0, 1));
    return wrong.length === 0;
  }

  /** Waits until the copies of the domain data at all sites have what was changed. */
  async copied(): Promise<void> {
    await this.context.questions.wait(this.quickMs);
  }

  /** Another domain with users. */
  get otherDomain(): string | undefined {
    const { map, questions } = this.context;
    return questions.domains.find((name) => name !== this.domain && name !== map.masterDomain);
  }

  /** Numbers of users whose one phone answers calls, and is registered as each site knows. */
  async willing(domain = this.domain): Promise<string[]> {
    const { numbers = {} } = this.context.map.domains.get(domain) ?? {};
    const present = await this.present(domain);
    return present.filter((number) => isWilling(reactionOf(number, numbers[number])));
  }

  /** Numbers of users whose one phone is registered as each site knows, whatever it does with calls. */
  async present(domain = this.domain): Promise<string[]> {
    const { map, questions } = this.context;
    const { sipusers = [] } = map.domains.get(domain) ?? {};
    const path = states;
    const lists = await Promise.all(
      this.sites.map((site) => questions.ask({ site, domain, path, sender: this.sender })),
    );
    const isOnline = (login: string) =>
      lists.every((list) => itemsOf(list).some(({ username, status }) => username === login && status === 'online'));
    return sipusers.flatMap(({ login, phonenumber }) => {
      const [own, more] = this.phonesOf({ login }, domain);
      const isThere = own?.isRegistered && !own.isSilent && own.state === 'registered' && more === undefined;
      return isThere && isOnline(login) ? [phonenumber] : [];
    });
  }
}

function drawnAt({ now }: OracleContext): number {
  return Math.floor(now() / 1_000);
}

/** An oracle that plays a use case. */
export interface UseCaseMaker extends OracleMaker {
  /** What drills play as well. */
  readonly useCase: UseCaseRule<UseCase>;
}

/** An oracle that plays a use case in one of the domains. */
export function useCaseOf(rule: UseCaseRule<UseCase>): UseCaseMaker {
  return { ...playedBy(rule, { plays: 'useCase', begin: (...played) => new UseCase(...played) }), useCase: rule };
}

interface Played<C extends UseCase> {
  readonly plays: OracleMaker['plays'];
  begin(...played: ConstructorParameters<typeof UseCase>): C;
}

/** An oracle that plays something in one of the domains. */
export function playedBy<C extends UseCase>(
  { name, rule, weight, exclusions, sender, isOfMaster = false, play }: UseCaseRule<C>,
  { plays, begin }: Played<C>,
): OracleMaker {
  return {
    name,
    rule,
    ...(plays !== undefined && { plays }),
    ...(weight !== undefined && { weight }),
    ...(exclusions !== undefined && { exclusions }),
    sender,
    make: (context) => {
      const atQuiescence = async () => {
        const { questions, map, now, stableMs, fail } = context;
        const domains = questions.domains.filter((domain) => (domain === map.masterDomain) === isOfMaster);
        // In one of them: in all, a run takes two thirds longer. (docs/adr/0039-use-cases-in-campaigns.md)
        const drawn = drawnAt(context);
        const turn = drawn % domains.length;
        const first = Math.floor(drawn / domains.length);
        const domain = domains[turn];
        if (domain === undefined || stableMs() === 0 || questions.sites.length === 0) return;
        const useCase = begin(context, domain, sender, { turn, turns: domains.length, first });
        // A client of the workload may have changed the administrator, or got the first session ended.
        const session = await useCase.ask(current);
        if (session?.status !== 200) return;
        const beganMs = now();
        try {
          await play(useCase);
        } finally {
          await useCase.end();
        }
        // What is seen while something breaks, by a fault point, says nothing, unless a drill has broken it.
        if (stableMs() < now() - beganMs && plays !== 'drill') return;
        for (const { text, atMs } of useCase.problems) fail(`quiescent: ${domain} at ${useCase.here}: ${text}`, atMs);
      };
      return { atQuiescence };
    },
  };
}

/** The answer has the status, and its body has the fields. */
export function expecting(status: number, fields: Item = {}): Judge {
  return (answer) => {
    const body = (answer?.body ?? {}) as Item;
    const isRight =
      answer?.status === status &&
      Object.entries(fields).every(([name, value]) => JSON.stringify(body[name]) === JSON.stringify(value));
    return isRight ? undefined : `expected ${status} ${JSON.stringify(fields)}, got ${textOf(answer)}`;
  };
}

/** The answer is a list with the item of which one field has the value; or, with `isThere` false, without it. */
export function listing(field: string, value: unknown, isThere = true): Judge {
  return (answer) => {
    const isListed = itemsOf(answer).some((item) => item[field] === value);
    const isRight = answer?.status === 200 && isListed === isThere;
    return isRight ? undefined : `${field} ${String(value)} is ${isThere ? 'not ' : ''}in ${textOf(answer)}`;
  };
}

export function textOf(answer: QuestionAnswer | undefined): string {
  return answer === undefined ? 'no answer' : `${answer.status} ${JSON.stringify(answer.body)?.slice(0, 200)}`;
}

/** The items of a list; none if it is not one. */
export function itemsOf(answer: QuestionAnswer | undefined): readonly Item[] {
  return answer?.status === 200 && Array.isArray(answer.body) ? (answer.body as readonly Item[]) : [];
}

/** A query that selects by equal fields, or by a filter. */
export function filterOf(filter: unknown): string {
  return `filter=${encodeURIComponent(JSON.stringify(filter))}`;
}
