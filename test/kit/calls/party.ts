/** A party of calls for tests: a user agent that performs operations and records the reports of its legs. */
import { SeededRandom } from '../../../sim/ports/random.ts';
import { Counters } from '../../../src/actors/counters.ts';
import type { SipMessage, SipRequest } from '../../../src/model/sip/message.ts';
import { sipUri, userOf } from '../../../src/model/sip/uri.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { type LegOperation, type LegReport, type OutgoingCall, UserAgent } from '../../../src/sip/user-agent.ts';

export interface PartyOptions {
  readonly sentBy: string;
  readonly host: string;
  /** Its URI. */
  readonly uri: string;
  readonly clock: Clock;
  /** Where its calls go first. */
  readonly hop: string;
  readonly isLossy: boolean;
  readonly send: (message: SipMessage, hop: string) => void;
}

type ReportOf<T extends LegReport['type']> = Extract<LegReport, { type: T }>;

export class TestParty {
  readonly agent: UserAgent;
  readonly uri: string;
  readonly reports: { readonly leg: string; readonly report: LegReport }[] = [];
  /** What it does with each report, before the test looks. */
  onReport: (leg: string, report: LegReport) => void = () => {};
  readonly #hop: string;

  constructor({ sentBy, host, uri, clock, hop, isLossy, send }: PartyOptions) {
    this.uri = uri;
    this.#hop = hop;
    this.agent = new UserAgent({
      ...{ sentBy, host, clock, send },
      random: new SeededRandom(sentBy).stream('ids'),
      counters: new Counters(),
      isLossy: () => isLossy,
      session: { does: 'refresh', expiresMs: 90_000 },
      onReport: (leg, report) => {
        this.reports.push({ leg, report });
        this.onReport(leg, report);
      },
      onRequest: (request) => this.agent.respond(request, 200),
      onCrash: (error) => {
        throw error;
      },
    });
  }

  /** Calls a number of its own domain, or a URI. */
  call(callee: string, more: Partial<OutgoingCall> = {}): string {
    const uri = callee.startsWith('sip:') ? callee : sipUri(callee, this.uri.slice(this.uri.indexOf('@') + 1));
    return this.agent.call({ uri, from: { uri: this.uri }, to: { uri }, hop: this.#hop, ...more });
  }

  /** Does this with every call that comes. */
  always(...operations: LegOperation[]): this {
    this.onReport = (leg, report) => {
      if (report.type === 'leg.invited') for (const operation of operations) this.agent.control(leg, operation);
    };
    return this;
  }

  tell(operation: LegOperation, leg = this.leg): void {
    if (!this.agent.control(leg, operation)) throw new Error(`${this.uri} has no leg ${leg}`);
  }

  /** The leg that it heard of last. */
  get leg(): string {
    const last = this.reports.at(-1)?.leg ?? [...this.agent.legs()].at(-1);
    if (last === undefined) throw new Error(`${this.uri} has no leg`);
    return last;
  }

  /** The INVITEs that came. */
  get invites(): SipRequest[] {
    return this.all('leg.invited').map(({ request }) => request);
  }

  /** What was reported, by type, in order; of one leg where it is given. */
  heard(leg?: string): string[] {
    const some = leg === undefined ? this.reports : this.reports.filter((each) => each.leg === leg);
    return some.map(({ report }) => textOf(report));
  }

  all<T extends LegReport['type']>(type: T): ReportOf<T>[] {
    return this.reports.map(({ report }) => report).filter((report): report is ReportOf<T> => report.type === type);
  }

  get user(): string {
    return userOf(this.uri);
  }
}

/** A report in a word or two. */
function textOf(report: LegReport): string {
  const short = report.type.slice('leg.'.length);
  if ('status' in report) return `${short} ${report.status}`;
  if (report.type === 'leg.ended') return `${short} ${report.by}`;
  if (report.type === 'leg.media.changed') return `${short} ${report.media}`;
  if (report.type === 'leg.dtmf') return `${short} ${report.dtmf}`;
  if (report.type === 'leg.notified') return `${short} ${report.event} ${report.sipfrag ?? ''}`.trim();
  return short;
}
