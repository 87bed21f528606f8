/** Who hears whom in a selector meeting. (the path is public, what it takes and gives chosen) */
import { z } from 'zod';
import { selector } from '../../model/entities/selector.ts';
import { selectorHearsSchema, selectorTopology } from '../../model/entities/selector-topology.ts';
import { chosen } from '../../model/source.ts';
import { type Meeting, resetHears, setHears, showHears } from '../../services/selectors.ts';
import { answerEmpty, answerJson } from '../answering.ts';
import { ageHeader } from '../listing.ts';
import { readBody } from '../reading.ts';
import { type Exchange, identityOf, type Route } from '../route.ts';

const topologySchema = z
  .strictObject({
    hears: selectorHearsSchema.describe('For each participant, by id, the ids of the participants that it hears'),
  })
  .meta(chosen);

const source = 'public';
const read = { domain: selector.domain, to: 'read' } as const;
const change = { domain: selector.domain, to: 'change' } as const;

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: selectorTopology.path,
    does: 'Shows who hears whom in a selector meeting: as was set, else by what the participants are.',
    source,
    access: read,
    gives: { 200: topologySchema },
    answer: async (exchange) => {
      const { value, ageMs } = await showHears(exchange.ws.scope, meetingIn(exchange));
      return answerJson({ hears: value }, ageHeader(ageMs));
    },
  },
  {
    method: 'PATCH',
    path: selectorTopology.path,
    does: 'Sets whom some participants of a selector meeting hear; others stay as they are.',
    source,
    access: change,
    takes: { body: topologySchema },
    gives: { 200: topologySchema },
    answer: async (exchange) => {
      const { hears } = await readBody(exchange.request, topologySchema);
      return answerJson({ hears: await setHears(exchange.ws.scope, meetingIn(exchange), hears) });
    },
  },
  {
    method: 'DELETE',
    path: selectorTopology.path,
    does: 'Lets every participant of a selector meeting hear again whom it hears by what it is.',
    source,
    access: change,
    gives: { 204: 'nothing' },
    answer: async (exchange) => {
      await resetHears(exchange.ws.scope, meetingIn(exchange));
      return answerEmpty();
    },
  },
];

export const selectorRoutes: readonly Route[] = [
  ...routes,
  ...(selector.aliases ?? []).flatMap((alias) =>
    routes.map((route) => ({ ...route, path: route.path.replace(selector.path, alias), sameAs: route.path })),
  ),
];

function meetingIn(exchange: Exchange): Meeting {
  const { domain } = identityOf(exchange).session;
  return { domain, id: (exchange.params['selector_id'] ?? '').toLowerCase() };
}
