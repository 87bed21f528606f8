/** The audio topology of a conference: which participants hear which others. */
import type { OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';

type Hears = Readonly<Record<string, readonly string[]>>;

const topology = /\/conferences(_by_participation)?\/[^/]+\/topology$/;

export const hearsConsistent: OracleMaker = {
  name: 'hears-consistent',
  rule: 'The audio topology of a conference names participants of it only, no participant hears itself, and the answer to a change has what was asked for.',
  make: ({ check, fail }) => {
    const judge = ({ method, path, sent }: ObservedRequest, { body }: ObservedAnswer) => {
      const { hears } = (body ?? {}) as { readonly hears?: Hears };
      if (hears === undefined) return;
      check();
      for (const [listener, heard] of Object.entries(hears)) {
        if (heard.includes(listener)) fail(`${path}: ${listener} hears itself`);
        const unknown = heard.find((each) => hears[each] === undefined);
        if (unknown !== undefined) fail(`${path}: ${listener} hears ${unknown}, which is no participant`);
      }
      const { hears: asked = {} } = (method === 'POST' ? (sent ?? {}) : {}) as { readonly hears?: Hears };
      for (const [listener, wanted] of Object.entries(asked)) {
        const heard = new Set(hears[listener]);
        const isDone = heard.size === new Set(wanted).size && wanted.every((each) => heard.has(each));
        if (!isDone) fail(`${path}: ${listener} was to hear ${wanted.join(', ')}, and hears ${[...heard].join(', ')}`);
      }
    };
    const requests = new ClientRequests(
      (_, path) => topology.test(path),
      (request, answer) => {
        if (answer.status === 200 && topology.test(request.path)) judge(request, answer);
      },
      () => {},
    );
    return { listeners: requests.listeners };
  },
};
