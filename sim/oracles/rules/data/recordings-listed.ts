/** Every recording of a call can be had when the call is over, and is not denied where its site is out of reach. */
import type { StreamItem } from '../../../../src/model/protocol/messages/stream.ts';
import { fileNameOf } from '../../../../src/model/recording/recording.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const attachments = /^\/rest\/v1\/journal\/calls\/([^/]+)\/attachments(?:\/[^/]+)?$/;
/** The last ones. */
const mostCalls = 1_000;

interface RecordedCall {
  readonly sinceMs: number;
  /** Names of its recordings, except what a storage rule ends. */
  readonly names: Set<string>;
  readonly domains: Set<string>;
  /** Names that a client has been shown. */
  readonly listed: Set<string>;
  endedMs: number;
}

interface Site {
  readonly files?: readonly { readonly name?: string }[];
}

export const recordingsListed: OracleMaker = {
  name: 'recordings-listed',
  rule: 'Of a call that has been over for five seconds, the list of recordings has each one that its b2b has made, in whichever of its dialogs, while nothing is broken. One that was listed is not answered with 404, whatever is broken: a front that cannot ask its site says so (503).',
  exclusions:
    'Calls of which a client has wanted to remove recordings, and recordings that a storage rule ends; what a callstore has not heard of for lack of a message.',
  make: ({ map, now, fired, check, fail }) => {
    const { promptMs, noticedMs, streamCatchUpMs } = boundsOf(map);
    /** How often messages of streams were withheld, and when that was noticed last. */
    const withheld = { count: 0, atMs: Number.NEGATIVE_INFINITY };
    const look = () => {
      const count = fired('stream.unheard');
      if (count > withheld.count) Object.assign(withheld, { count, atMs: now() });
    };
    const undisturbed = new Undisturbed();
    /** By inviteid. */
    const calls = new Map<string, RecordedCall>();
    const take = ({ dialog, event }: StreamItem, atMs: number) => {
      if (dialog?.recordings !== undefined) {
        const { inviteid, domains, recordings } = dialog;
        const known = calls.get(inviteid);
        const call = known ?? {
          sinceMs: atMs,
          names: new Set(),
          domains: new Set(),
          listed: new Set(),
          endedMs: Number.POSITIVE_INFINITY,
        };
        for (const domain of domains) call.domains.add(domain);
        for (const each of recordings) if (each.keepMs === undefined) call.names.add(fileNameOf(each));
        setLast(calls, inviteid, call, mostCalls);
      }
      const ended = event?.name === 'dlg_end' ? calls.get(String(event.data['inviteid'])) : undefined;
      if (ended !== undefined) ended.endedMs = atMs;
    };
    const answered = (
      { method, path, domain = '', site, query, calledMs }: ObservedRequest,
      answer: ObservedAnswer,
    ) => {
      const [, inviteid = ''] = attachments.exec(path) ?? [];
      if (method === 'DELETE') return void calls.delete(inviteid);
      const call = calls.get(inviteid);
      const name = path.split('/attachments/')[1];
      if (name !== undefined && call?.listed.has(name) && call.domains.has(domain)) {
        check();
        if (answer.status === 404) fail(`${site} says that there is no recording ${name} of call ${inviteid}`);
      }
      const isList = method === 'GET' && path.endsWith('/attachments') && query.size === 0;
      if (!isList || call === undefined || !call.domains.has(domain)) return;
      const sites = (Array.isArray(answer.body) ? answer.body : []) as readonly Site[];
      const listed = new Set(sites.flatMap(({ files = [] }) => files.map(({ name }) => name)));
      for (const each of call.names) if (listed.has(each)) call.listed.add(each);
      if (answer.missing !== undefined) return;
      if (answer.status !== 200 && answer.status !== 404) return;
      look();
      if (now() - withheld.atMs <= streamCatchUpMs) return;
      const isLate = calledMs - call.endedMs > promptMs;
      if (!isLate || !undisturbed.isSince(call.sinceMs - noticedMs, answer.returnedMs)) return;
      check();
      for (const name of call.names)
        if (!listed.has(name)) fail(`${site} does not list recording ${name} of call ${inviteid}, which is over`);
    };
    const requests = new ClientRequests(
      (_, path) => attachments.test(path),
      answered,
      ({ method, path }) => {
        if (method === 'DELETE') calls.delete(attachments.exec(path)?.[1] ?? '');
      },
    );
    const listeners: ObservationListeners = {
      'published.items': ({ from, items, atMs }) => {
        if (map.instances.get(from)?.role === 'b2b') for (const item of items) take(item, atMs);
      },
      // A removal may be done before its answer is there.
      'request.received': ({ method, target }) => {
        if (method === 'DELETE') calls.delete(attachments.exec(target)?.[1] ?? '');
      },
    };
    return {
      listeners: together(undisturbed.listeners, requests.listeners, listeners),
      tick: look,
    };
  },
};
