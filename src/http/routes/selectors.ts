/** Routes of the audio topology of selector meetings. */
import { z } from 'zod';
import { withDeadline } from '../../cluster/messaging/deadline.ts';
import { selector, selectorHearsSchema, selectorTopology } from '../../model/entities/selector.ts';
import { chosen } from '../../model/provenance.ts';
import { type Meeting, resetHears, setHears, showHears } from '../../services/selector-hears.ts';
import { type Exchange, identityOf, type RouteDefinition } from '../contract.ts';
import { readBody } from '../read-request.ts';
import { ageHeader, answerEmpty, answerJson } from '../responses.ts';

const selectorHearsBody = z
  .strictObject({
    hears: selectorHearsSchema.describe('For each participant, by id, the ids of the participants that it hears'),
  })
  .meta(chosen);

const source = 'public';
const read = { domain: selector.domain, to: 'read' } as const;
const change = { domain: selector.domain, to: 'change' } as const;

const routes: readonly RouteDefinition[] = [
  {
    method: 'GET',
    path: selectorTopology.path,
    does: 'Shows which participants of a selector meeting hear which others: as set, else by their types.',
    source,
    access: read,
    gives: { 200: selectorHearsBody },
    answer: async (exchange) => {
      const { value, ageMs } = await showHears(withDeadline(exchange.ws.scope), meetingIn(exchange));
      return answerJson({ hears: value }, ageHeader(ageMs));
    },
  },
  {
    method: 'PATCH',
    path: selectorTopology.path,
    does: 'Sets which others some participants of a selector meeting hear; the rest is unchanged.',
    source,
    access: change,
    takes: { body: selectorHearsBody },
    gives: { 200: selectorHearsBody },
    answer: async (exchange) => {
      const { hears } = await readBody(exchange.request, selectorHearsBody);
      return answerJson({ hears: await setHears(withDeadline(exchange.ws.scope), meetingIn(exchange), hears) });
    },
  },
  {
    method: 'DELETE',
    path: selectorTopology.path,
    does: 'Resets a selector meeting: every participant hears the others by its type.',
    source,
    access: change,
    gives: { 204: 'nothing' },
    answer: async (exchange) => {
      await resetHears(withDeadline(exchange.ws.scope), meetingIn(exchange));
      return answerEmpty();
    },
  },
];

/** The audio topology of a selector meeting. (path public, input and output chosen) */
export const selectorRoutes: readonly RouteDefinition[] = [
  ...routes,
  ...(selector.aliases ?? []).flatMap((alias) =>
    routes.map((route) => ({ ...route, path: route.path.replace(selector.path, alias), sameAs: route.path })),
  ),
];

function meetingIn(exchange: Exchange): Meeting {
  const { domain } = identityOf(exchange).session;
  return { domain, id: (exchange.params['selector_id'] ?? '').toLowerCase() };
}
