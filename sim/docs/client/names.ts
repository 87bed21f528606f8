/** The names of operations in the typed client: a group for each path, a method for each operation of it. */
import type { RouteDefinition } from '../../../src/http/contract.ts';

export interface ClientOperationName {
  /** `calls`. */
  readonly group: string;
  /** `create`. */
  readonly name: string;
}

/** Groups whose name the path does not give, by the path without its parameters and its prefix. */
const groups: Readonly<Record<string, string>> = {
  'uc/calls_by_participation': 'ownCalls',
  'uc/conferences_by_participation': 'ownConferences',
  'uc/conferences_by_participation/participants': 'ownConferenceParticipants',
  'uc/conferences_by_participation/topology': 'ownConferenceTopology',
  'uc/conferences/participants': 'conferenceParticipants',
  'uc/conferences/topology': 'conferenceTopology',
  'uc/selectors/participants': 'selectorParticipants',
  'uc/selectors/topology': 'selectorTopology',
  'uc/sipuser_states': 'sipUserStates',
  'uc/sipusers': 'sipUsers',
  'uc/chatcampaigns': 'chatCampaigns',
  'uc/chatcampaigns/history': 'chatCampaigns',
  'uc/chatcampaigns/history/search': 'chatCampaigns',
  'uc/chatcampaigns/contextmenu': 'chatCampaigns',
  'uc/recordrules': 'recordRules',
  'domain/ivrscripts': 'ivrScripts',
  'domain/svcscripts': 'serviceScripts',
  'domain/integrationchannels': 'integrationChannels',
  'domain/contactgroups': 'contactGroups',
  'domain/domains/users': 'users',
  'domain/roleapps': 'roleApps',
  'domain/roleapps/attachment': 'roleAppArchives',
  'fs/targets/parking': 'parkingFiles',
  'fs/targets/selector': 'selectorFiles',
  'journal/calls': 'callRecords',
  'journal/calls_by_participation': 'ownCallRecords',
  'journal/calls/attachments': 'recordings',
  'journal/calls_by_participation/attachments': 'ownRecordings',
  'master/audiomatcher': 'audioMatcher',
  'master/audiomatcher/status': 'audioMatcher',
  'master/borderrules': 'borderRules',
  'master/logicalroles/esg/bannedaddrs': 'esgBans',
  'master/logicalroles/sg/bannedaddrs': 'sgBans',
  'master/logicalroles/ws/bannedaddrs': 'wsBans',
  'master/logicalroles/ws/bannedaddrs/site': 'wsSiteBans',
  'master/logicalroles/esg/dashboards': 'esgDashboards',
  'master/logicalroles/esg/dashboards/info': 'esgDashboards',
  'master/logicalroles/esg/dashboards/count': 'esgDashboards',
  'master/logicalroles/esg/dashboards/sites': 'esgDashboards',
  'iam/sessions': 'sessions',
  'iam/sessions/current': 'sessions',
  'metadata/entities/nav.json': 'metadata',
  'metadata/entities/tab.json': 'metadata',
  'metadata/entities/form.json': 'metadata',
};

/** Names that do not follow from the method and the place, by method and path as declared. */
const names: Readonly<Record<string, string>> = {
  'POST /rest/v1/iam/sessions': 'logIn',
  'GET /rest/v1/iam/sessions/current': 'current',
  'PATCH /rest/v1/iam/sessions/current': 'switchDomain',
  'DELETE /rest/v1/iam/sessions/current': 'logOut',
  'POST /rest/v1/master/audiomatcher': 'reload',
  'GET /rest/v1/master/audiomatcher/status': 'status',
  'GET /rest/v1/metadata/entities/nav.json': 'navigation',
  'GET /rest/v1/metadata/entities/:class/tab.json': 'listView',
  'GET /rest/v1/metadata/entities/:class/form.json': 'form',
  'GET /rest/v1/master/logicalroles/esg/dashboards': 'list',
  'GET /rest/v1/master/logicalroles/esg/dashboards/info': 'info',
  'GET /rest/v1/master/logicalroles/esg/dashboards/count': 'count',
  'GET /rest/v1/master/logicalroles/esg/dashboards/sites': 'sites',
  'POST /rest/v1/fs/targets/parking': 'upload',
  'POST /rest/v1/fs/targets/selector': 'upload',
  'PUT /rest/v1/fs/targets/parking/:name': 'put',
  'GET /rest/v1/fs/targets/parking/:name': 'download',
  'GET /rest/v1/fs/targets/selector/:name': 'download',
  'GET /rest/v1/domain/roleapps/:roleapp_id/attachment': 'download',
  'POST /rest/v1/domain/roleapps/:roleapp_id/attachment': 'upload',
  'PUT /rest/v1/domain/roleapps/:roleapp_id/attachment': 'put',
  'DELETE /rest/v1/domain/roleapps/:roleapp_id/attachment': 'delete',
  'POST /rest/v1/uc/chatcampaigns/:id/history': 'history',
  'POST /rest/v1/uc/chatcampaigns/:id/history/search': 'searchHistory',
  'POST /rest/v1/uc/chatcampaigns/:id/contextmenu': 'contextMenu',
  'GET /rest/v1/journal/calls/:inviteid/attachments/:name': 'download',
  'GET /rest/v1/journal/calls_by_participation/:inviteid/attachments/:name': 'download',
};

/** Names of the methods of the platform. */
const verbs: Readonly<Record<string, string>> = {
  REFERREPLACES: 'referReplaces',
  SWITCHCONF: 'switchConf',
  REFERCONF: 'referConf',
};

/** Names of operations on an object that is not an item of a list, by the end of the path and the method. */
const singles: Readonly<Record<string, string>> = {
  'topology POST': 'set',
  'topology DELETE': 'reset',
  'bannedaddrs POST': 'ban',
};

/** The operations of the client: those below `/rest/v1`, without aliases and without what is not built. */
export function isClientOperation({ path, sameAs, gives }: RouteDefinition): boolean {
  return path.startsWith('/rest/v1/') && sameAs === undefined && Object.keys(gives).length > 0;
}

/** The part of the interface to which an operation belongs: `uc`, `domain`, `master` … */
export function areaOf({ path }: RouteDefinition): string {
  return path.split('/')[3] ?? '';
}

export function nameOf({ method, path, gives }: RouteDefinition): ClientOperationName {
  const parts = path.split('/').slice(3);
  const fixed = parts.filter((part) => !part.startsWith(':'));
  const group = groups[fixed.join('/')] ?? camel(fixed.filter((part) => !prefixes.has(part)).join('_'));
  const isItem = parts.at(-1)?.startsWith(':') === true;
  const special = names[`${method} ${path}`] ?? singles[`${fixed.at(-1)} ${method}`];
  if (special !== undefined && !(isItem && names[`${method} ${path}`] === undefined)) return { group, name: special };
  return { group, name: usualName(method, isItem || isSingle(gives), isItem) };
}

const prefixes: ReadonlySet<string> = new Set(['uc', 'domain', 'master', 'logicalroles']);

/** Whether an answer is one object of its own, such as a topology. */
function isSingle(gives: RouteDefinition['gives']): boolean {
  const given = gives[200];
  return typeof given === 'object' && 'def' in given && given.def.type === 'object';
}

function usualName(method: string, isSingular: boolean, isItem: boolean): string {
  switch (method) {
    case 'GET':
      return isSingular ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PATCH':
      return 'update';
    case 'DELETE':
      return isItem ? 'delete' : 'deleteAll';
    default:
      return verbs[method] ?? camel(method.toLowerCase());
  }
}

/** `send_dtmf` as `sendDtmf`. */
function camel(text: string): string {
  return text.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
}
