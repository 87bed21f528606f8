/**
 * The service scripts of chat campaigns: the client of an operator asks for them when it shows a conversation. That a campaign names
 * them is documented; when the platform calls them is not: these operations are chosen.
 */
import { chatCampaign } from '../../../model/entities/chat-campaign.ts';
import type { ItemOf } from '../../../model/entities/entity.ts';
import { showItem } from '../../../services/domain-data.ts';
import { identityOf, type RouteDefinition } from '../../contract.ts';
import { answerByScript, scriptAnswer, scriptBody, timeoutParam } from '../../script-requests.ts';

type ScriptField = 'gethistoryscr' | 'searchhistoryscr' | 'ctxmenuscr';

const operations: readonly [end: string, field: ScriptField, does: string][] = [
  ['history', 'gethistoryscr', 'loads the history of a conversation'],
  ['history/search', 'searchhistoryscr', 'searches the history of conversations'],
  ['contextmenu', 'ctxmenuscr', 'makes the context menu of a conversation'],
];

export const chatScriptRoutes: readonly RouteDefinition[] = operations.map(([end, field, does]) => ({
  method: 'POST',
  path: `${chatCampaign.path}/:id/${end}`,
  does: `Runs the service script of a chat campaign that ${does} (\`${field}\`). It gets the start parameters of \`/exec\`, with the campaign as the first one, and makes the answer in the same way. 404 where the campaign names none.`,
  source: 'chosen',
  access: { domain: 'any', to: 'read' },
  takes: { query: [{ ...timeoutParam, source: 'chosen' }], body: scriptBody, isBodyOptional: true },
  gives: { 200: scriptAnswer },
  refuses: [404, 413, 500, 503, 504],
  answer: async (exchange) => {
    const { session } = identityOf(exchange);
    const { scope } = exchange.ws;
    const { domain, user } = session;
    const which = { id: (exchange.params['id'] ?? '').toLowerCase(), isAdmin: user.roles.includes('admin') };
    const { value } = await showItem(scope, { kind: chatCampaign.kind, domain }, which);
    const item = value as ItemOf<typeof chatCampaign>;
    const waitSec = scope.map.topology.timings.requestDeadlineMs / 1_000;
    const requester = { id: user.id, isAdmin: which.isAdmin };
    return answerByScript(exchange, 'chat', { domain, item, script: item[field], waitSec, user: requester });
  },
}));
