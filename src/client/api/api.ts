// Generated from src/http/routes by `npm run docs`.
import type { OperationTable } from '../operation-types.ts';
import type { ContactGroups, Domains, IntegrationChannels, IvrScripts, RoleAppArchives, RoleApps, ServiceScripts, Users } from './domain.ts';
import type { ParkingFiles, SelectorFiles } from './fs.ts';
import type { IamExternal, Sessions } from './iam.ts';
import type { CallRecords, JournalScripts, OwnCallRecords, OwnRecordings, Recordings } from './journal.ts';
import type { AudioMatcher, BorderRules, EsgBans, EsgDashboards, Nodes, SgBans, WsBans, WsSiteBans } from './master.ts';
import type { Metadata } from './metadata.ts';
import type { ConferenceParticipants, ConferenceTopology, Conferences, OwnConferenceParticipants, OwnConferenceTopology, OwnConferences, SelectorParticipants, SelectorTopology, Selectors } from './uc-conferences.ts';
import type { Calls, ChatCampaigns, OwnCalls, RecordRules, SipUserStates, SipUsers } from './uc.ts';

/** The operations of the interface, by group. */
export interface Api {
  readonly audioMatcher: AudioMatcher;
  readonly borderRules: BorderRules;
  readonly callRecords: CallRecords;
  readonly calls: Calls;
  readonly chatCampaigns: ChatCampaigns;
  readonly conferenceParticipants: ConferenceParticipants;
  readonly conferenceTopology: ConferenceTopology;
  readonly conferences: Conferences;
  readonly contactGroups: ContactGroups;
  readonly domains: Domains;
  readonly esgBans: EsgBans;
  readonly esgDashboards: EsgDashboards;
  readonly iamExternal: IamExternal;
  readonly integrationChannels: IntegrationChannels;
  readonly ivrScripts: IvrScripts;
  readonly journalScripts: JournalScripts;
  readonly metadata: Metadata;
  readonly nodes: Nodes;
  readonly ownCallRecords: OwnCallRecords;
  readonly ownCalls: OwnCalls;
  readonly ownConferenceParticipants: OwnConferenceParticipants;
  readonly ownConferenceTopology: OwnConferenceTopology;
  readonly ownConferences: OwnConferences;
  readonly ownRecordings: OwnRecordings;
  readonly parkingFiles: ParkingFiles;
  readonly recordRules: RecordRules;
  readonly recordings: Recordings;
  readonly roleAppArchives: RoleAppArchives;
  readonly roleApps: RoleApps;
  readonly selectorFiles: SelectorFiles;
  readonly selectorParticipants: SelectorParticipants;
  readonly selectorTopology: SelectorTopology;
  readonly selectors: Selectors;
  readonly serviceScripts: ServiceScripts;
  readonly sessions: Sessions;
  readonly sgBans: SgBans;
  readonly sipUserStates: SipUserStates;
  readonly sipUsers: SipUsers;
  readonly users: Users;
  readonly wsBans: WsBans;
  readonly wsSiteBans: WsSiteBans;
}

export const operations: OperationTable = {
  audioMatcher: {
    reload: ['POST', '/rest/v1/master/audiomatcher', 'json', false, 'json'],
    status: ['GET', '/rest/v1/master/audiomatcher/status', 'none', true, 'json'],
  },
  borderRules: {
    create: ['POST', '/rest/v1/master/borderrules', 'json', false, 'json'],
    list: ['GET', '/rest/v1/master/borderrules', 'none', true, 'json'],
    count: ['GET', '/rest/v1/master/borderrules', 'none', true, 'count'],
    get: ['GET', '/rest/v1/master/borderrules/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/master/borderrules/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/master/borderrules/:id', 'none', false, 'nothing'],
    lookup: ['LOOKUP', '/rest/v1/master/borderrules', 'json', false, 'json'],
  },
  callRecords: {
    list: ['GET', '/rest/v1/journal/calls', 'none', true, 'json'],
    count: ['GET', '/rest/v1/journal/calls', 'none', true, 'count'],
    get: ['GET', '/rest/v1/journal/calls/:inviteid', 'none', true, 'json'],
  },
  calls: {
    list: ['GET', '/rest/v1/uc/calls', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/calls', 'none', true, 'count'],
    create: ['POST', '/rest/v1/uc/calls', 'json', false, 'call'],
    invite: ['INVITE', '/rest/v1/uc/calls', 'json', false, 'call'],
    invitebyivr: ['INVITEBYIVR', '/rest/v1/uc/calls', 'json', false, 'call'],
    lookup: ['LOOKUP', '/rest/v1/uc/calls', 'json', false, 'json'],
    get: ['GET', '/rest/v1/uc/calls/:dialogid', 'none', true, 'json'],
    refer: ['REFER', '/rest/v1/uc/calls/:dialogid', 'json', false, 'call'],
    referReplaces: ['REFERREPLACES', '/rest/v1/uc/calls/:dialogid', 'json', false, 'call'],
    switchConf: ['SWITCHCONF', '/rest/v1/uc/calls/:dialogid', 'json', false, 'call'],
    referConf: ['REFERCONF', '/rest/v1/uc/calls/:dialogid', 'json', false, 'call'],
    notify: ['NOTIFY', '/rest/v1/uc/calls/:dialogid', 'json', false, 'call'],
    sendDtmf: ['SEND_DTMF', '/rest/v1/uc/calls/:dialogid', 'json', false, 'call'],
    setupRecord: ['SETUP_RECORD', '/rest/v1/uc/calls/:dialogid', 'json', false, 'call'],
    setupAsr: ['SETUP_ASR', '/rest/v1/uc/calls/:dialogid', 'json', false, 'call'],
    setupBindings: ['SETUP_BINDINGS', '/rest/v1/uc/calls/:dialogid', 'json', false, 'call'],
    delete: ['DELETE', '/rest/v1/uc/calls/:dialogid', 'none', false, 'call'],
  },
  chatCampaigns: {
    create: ['POST', '/rest/v1/uc/chatcampaigns', 'json', false, 'json'],
    list: ['GET', '/rest/v1/uc/chatcampaigns', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/chatcampaigns', 'none', true, 'count'],
    get: ['GET', '/rest/v1/uc/chatcampaigns/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/uc/chatcampaigns/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/uc/chatcampaigns/:id', 'none', false, 'nothing'],
    lookup: ['LOOKUP', '/rest/v1/uc/chatcampaigns', 'json', false, 'json'],
    history: ['POST', '/rest/v1/uc/chatcampaigns/:id/history', 'bytes', true, 'bytes'],
    searchHistory: ['POST', '/rest/v1/uc/chatcampaigns/:id/history/search', 'bytes', true, 'bytes'],
    contextMenu: ['POST', '/rest/v1/uc/chatcampaigns/:id/contextmenu', 'bytes', true, 'bytes'],
  },
  conferenceParticipants: {
    list: ['GET', '/rest/v1/uc/conferences/:confid/participants', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/conferences/:confid/participants', 'none', true, 'count'],
    create: ['POST', '/rest/v1/uc/conferences/:confid/participants', 'json', false, 'json'],
    get: ['GET', '/rest/v1/uc/conferences/:confid/participants/:participantid', 'none', true, 'json'],
    delete: ['DELETE', '/rest/v1/uc/conferences/:confid/participants/:participantid', 'none', false, 'json'],
  },
  conferenceTopology: {
    get: ['GET', '/rest/v1/uc/conferences/:confid/topology', 'none', false, 'json'],
    set: ['POST', '/rest/v1/uc/conferences/:confid/topology', 'json', false, 'json'],
  },
  conferences: {
    list: ['GET', '/rest/v1/uc/conferences', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/conferences', 'none', true, 'count'],
    lookup: ['LOOKUP', '/rest/v1/uc/conferences', 'json', false, 'json'],
    get: ['GET', '/rest/v1/uc/conferences/:confid', 'none', true, 'json'],
    delete: ['DELETE', '/rest/v1/uc/conferences/:confid', 'none', false, 'json'],
  },
  contactGroups: {
    create: ['POST', '/rest/v1/domain/contactgroups', 'json', false, 'json'],
    list: ['GET', '/rest/v1/domain/contactgroups', 'none', true, 'json'],
    count: ['GET', '/rest/v1/domain/contactgroups', 'none', true, 'count'],
    get: ['GET', '/rest/v1/domain/contactgroups/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/domain/contactgroups/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/domain/contactgroups/:id', 'none', false, 'nothing'],
    lookup: ['LOOKUP', '/rest/v1/domain/contactgroups', 'json', false, 'json'],
  },
  domains: {
    list: ['GET', '/rest/v1/domain/domains', 'none', true, 'json'],
    count: ['GET', '/rest/v1/domain/domains', 'none', true, 'count'],
    get: ['GET', '/rest/v1/domain/domains/:domain_id', 'none', true, 'json'],
  },
  esgBans: {
    ban: ['POST', '/rest/v1/master/logicalroles/esg/bannedaddrs', 'json', true, 'json'],
    list: ['GET', '/rest/v1/master/logicalroles/esg/bannedaddrs', 'none', true, 'json'],
    count: ['GET', '/rest/v1/master/logicalroles/esg/bannedaddrs', 'none', true, 'count'],
    deleteAll: ['DELETE', '/rest/v1/master/logicalroles/esg/bannedaddrs', 'none', true, 'nothing'],
    delete: ['DELETE', '/rest/v1/master/logicalroles/esg/bannedaddrs/:ip', 'none', true, 'nothing'],
  },
  esgDashboards: {
    list: ['GET', '/rest/v1/master/logicalroles/esg/dashboards', 'none', false, 'json'],
    info: ['GET', '/rest/v1/master/logicalroles/esg/dashboards/info', 'none', true, 'json'],
    count: ['GET', '/rest/v1/master/logicalroles/esg/dashboards/count', 'none', true, 'json'],
    sites: ['GET', '/rest/v1/master/logicalroles/esg/dashboards/sites', 'none', true, 'json'],
  },
  iamExternal: {
    get: ['GET', '/rest/v1/iam/external', 'none', true, 'json'],
    create: ['POST', '/rest/v1/iam/external', 'json', false, 'json'],
  },
  integrationChannels: {
    create: ['POST', '/rest/v1/domain/integrationchannels', 'json', false, 'json'],
    list: ['GET', '/rest/v1/domain/integrationchannels', 'none', true, 'json'],
    count: ['GET', '/rest/v1/domain/integrationchannels', 'none', true, 'count'],
    get: ['GET', '/rest/v1/domain/integrationchannels/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/domain/integrationchannels/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/domain/integrationchannels/:id', 'none', false, 'nothing'],
    lookup: ['LOOKUP', '/rest/v1/domain/integrationchannels', 'json', false, 'json'],
  },
  ivrScripts: {
    create: ['POST', '/rest/v1/domain/ivrscripts', 'json', false, 'json'],
    list: ['GET', '/rest/v1/domain/ivrscripts', 'none', true, 'json'],
    count: ['GET', '/rest/v1/domain/ivrscripts', 'none', true, 'count'],
    get: ['GET', '/rest/v1/domain/ivrscripts/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/domain/ivrscripts/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/domain/ivrscripts/:id', 'none', false, 'nothing'],
    lookup: ['LOOKUP', '/rest/v1/domain/ivrscripts', 'json', false, 'json'],
  },
  journalScripts: {
    list: ['GET', '/rest/v1/journal/scripts', 'none', true, 'json'],
    count: ['GET', '/rest/v1/journal/scripts', 'none', true, 'count'],
    get: ['GET', '/rest/v1/journal/scripts/:id', 'none', true, 'json'],
  },
  metadata: {
    navigation: ['GET', '/rest/v1/metadata/entities/nav.json', 'none', false, 'json'],
    listView: ['GET', '/rest/v1/metadata/entities/:class/tab.json', 'none', false, 'json'],
    form: ['GET', '/rest/v1/metadata/entities/:class/form.json', 'none', false, 'json'],
  },
  nodes: {
    list: ['GET', '/rest/v1/master/nodes', 'none', true, 'json'],
    count: ['GET', '/rest/v1/master/nodes', 'none', true, 'count'],
    get: ['GET', '/rest/v1/master/nodes/:name', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/master/nodes/:name', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/master/nodes/:name', 'none', false, 'nothing'],
  },
  ownCallRecords: {
    list: ['GET', '/rest/v1/journal/calls_by_participation', 'none', true, 'json'],
    count: ['GET', '/rest/v1/journal/calls_by_participation', 'none', true, 'count'],
    get: ['GET', '/rest/v1/journal/calls_by_participation/:inviteid', 'none', true, 'json'],
  },
  ownCalls: {
    list: ['GET', '/rest/v1/uc/calls_by_participation', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/calls_by_participation', 'none', true, 'count'],
    create: ['POST', '/rest/v1/uc/calls_by_participation', 'json', false, 'call'],
    invite: ['INVITE', '/rest/v1/uc/calls_by_participation', 'json', false, 'call'],
    invitebyivr: ['INVITEBYIVR', '/rest/v1/uc/calls_by_participation', 'json', false, 'call'],
    lookup: ['LOOKUP', '/rest/v1/uc/calls_by_participation', 'json', false, 'json'],
    get: ['GET', '/rest/v1/uc/calls_by_participation/:dialogid', 'none', true, 'json'],
    refer: ['REFER', '/rest/v1/uc/calls_by_participation/:dialogid', 'json', false, 'call'],
    referReplaces: ['REFERREPLACES', '/rest/v1/uc/calls_by_participation/:dialogid', 'json', false, 'call'],
    switchConf: ['SWITCHCONF', '/rest/v1/uc/calls_by_participation/:dialogid', 'json', false, 'call'],
    referConf: ['REFERCONF', '/rest/v1/uc/calls_by_participation/:dialogid', 'json', false, 'call'],
    notify: ['NOTIFY', '/rest/v1/uc/calls_by_participation/:dialogid', 'json', false, 'call'],
    sendDtmf: ['SEND_DTMF', '/rest/v1/uc/calls_by_participation/:dialogid', 'json', false, 'call'],
    setupRecord: ['SETUP_RECORD', '/rest/v1/uc/calls_by_participation/:dialogid', 'json', false, 'call'],
    setupAsr: ['SETUP_ASR', '/rest/v1/uc/calls_by_participation/:dialogid', 'json', false, 'call'],
    setupBindings: ['SETUP_BINDINGS', '/rest/v1/uc/calls_by_participation/:dialogid', 'json', false, 'call'],
    delete: ['DELETE', '/rest/v1/uc/calls_by_participation/:dialogid', 'none', false, 'call'],
  },
  ownConferenceParticipants: {
    list: ['GET', '/rest/v1/uc/conferences_by_participation/:confid/participants', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/conferences_by_participation/:confid/participants', 'none', true, 'count'],
    create: ['POST', '/rest/v1/uc/conferences_by_participation/:confid/participants', 'json', false, 'json'],
    get: ['GET', '/rest/v1/uc/conferences_by_participation/:confid/participants/:participantid', 'none', true, 'json'],
    delete: ['DELETE', '/rest/v1/uc/conferences_by_participation/:confid/participants/:participantid', 'none', false, 'json'],
  },
  ownConferenceTopology: {
    get: ['GET', '/rest/v1/uc/conferences_by_participation/:confid/topology', 'none', false, 'json'],
    set: ['POST', '/rest/v1/uc/conferences_by_participation/:confid/topology', 'json', false, 'json'],
  },
  ownConferences: {
    list: ['GET', '/rest/v1/uc/conferences_by_participation', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/conferences_by_participation', 'none', true, 'count'],
    lookup: ['LOOKUP', '/rest/v1/uc/conferences_by_participation', 'json', false, 'json'],
    get: ['GET', '/rest/v1/uc/conferences_by_participation/:confid', 'none', true, 'json'],
    delete: ['DELETE', '/rest/v1/uc/conferences_by_participation/:confid', 'none', false, 'json'],
  },
  ownRecordings: {
    list: ['GET', '/rest/v1/journal/calls_by_participation/:inviteid/attachments', 'none', false, 'json'],
    download: ['GET', '/rest/v1/journal/calls_by_participation/:inviteid/attachments/:name', 'none', true, 'bytes'],
    delete: ['DELETE', '/rest/v1/journal/calls_by_participation/:inviteid/attachments/:name', 'none', false, 'nothing'],
    deleteAll: ['DELETE', '/rest/v1/journal/calls_by_participation/:inviteid/attachments', 'none', false, 'nothing'],
  },
  parkingFiles: {
    list: ['GET', '/rest/v1/fs/targets/parking', 'none', true, 'json'],
    count: ['GET', '/rest/v1/fs/targets/parking', 'none', true, 'count'],
    upload: ['POST', '/rest/v1/fs/targets/parking', 'files', false, 'json'],
    download: ['GET', '/rest/v1/fs/targets/parking/:name', 'none', true, 'bytes'],
    put: ['PUT', '/rest/v1/fs/targets/parking/:name', 'bytes', false, 'json'],
    delete: ['DELETE', '/rest/v1/fs/targets/parking/:name', 'none', false, 'nothing'],
  },
  recordRules: {
    create: ['POST', '/rest/v1/uc/recordrules', 'json', false, 'json'],
    list: ['GET', '/rest/v1/uc/recordrules', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/recordrules', 'none', true, 'count'],
    get: ['GET', '/rest/v1/uc/recordrules/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/uc/recordrules/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/uc/recordrules/:id', 'none', false, 'nothing'],
    lookup: ['LOOKUP', '/rest/v1/uc/recordrules', 'json', false, 'json'],
  },
  recordings: {
    list: ['GET', '/rest/v1/journal/calls/:inviteid/attachments', 'none', false, 'json'],
    download: ['GET', '/rest/v1/journal/calls/:inviteid/attachments/:name', 'none', true, 'bytes'],
    delete: ['DELETE', '/rest/v1/journal/calls/:inviteid/attachments/:name', 'none', false, 'nothing'],
    deleteAll: ['DELETE', '/rest/v1/journal/calls/:inviteid/attachments', 'none', false, 'nothing'],
  },
  roleAppArchives: {
    download: ['GET', '/rest/v1/domain/roleapps/:roleapp_id/attachment', 'none', true, 'bytes'],
    upload: ['POST', '/rest/v1/domain/roleapps/:roleapp_id/attachment', 'bytes', false, 'json'],
    put: ['PUT', '/rest/v1/domain/roleapps/:roleapp_id/attachment', 'bytes', false, 'json'],
    delete: ['DELETE', '/rest/v1/domain/roleapps/:roleapp_id/attachment', 'none', false, 'nothing'],
  },
  roleApps: {
    create: ['POST', '/rest/v1/domain/roleapps', 'json', false, 'json'],
    list: ['GET', '/rest/v1/domain/roleapps', 'none', true, 'json'],
    count: ['GET', '/rest/v1/domain/roleapps', 'none', true, 'count'],
    get: ['GET', '/rest/v1/domain/roleapps/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/domain/roleapps/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/domain/roleapps/:id', 'none', false, 'nothing'],
    lookup: ['LOOKUP', '/rest/v1/domain/roleapps', 'json', false, 'json'],
  },
  selectorFiles: {
    list: ['GET', '/rest/v1/fs/targets/selector', 'none', true, 'json'],
    count: ['GET', '/rest/v1/fs/targets/selector', 'none', true, 'count'],
    upload: ['POST', '/rest/v1/fs/targets/selector', 'files', false, 'json'],
    download: ['GET', '/rest/v1/fs/targets/selector/:name', 'none', true, 'bytes'],
    put: ['PUT', '/rest/v1/fs/targets/selector/:name', 'bytes', false, 'json'],
    delete: ['DELETE', '/rest/v1/fs/targets/selector/:name', 'none', false, 'nothing'],
  },
  selectorParticipants: {
    create: ['POST', '/rest/v1/uc/selectors/:selector_id/participants', 'json', false, 'json'],
    list: ['GET', '/rest/v1/uc/selectors/:selector_id/participants', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/selectors/:selector_id/participants', 'none', true, 'count'],
    get: ['GET', '/rest/v1/uc/selectors/:selector_id/participants/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/uc/selectors/:selector_id/participants/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/uc/selectors/:selector_id/participants/:id', 'none', false, 'nothing'],
  },
  selectorTopology: {
    get: ['GET', '/rest/v1/uc/selectors/:selector_id/topology', 'none', false, 'json'],
    update: ['PATCH', '/rest/v1/uc/selectors/:selector_id/topology', 'json', false, 'json'],
    reset: ['DELETE', '/rest/v1/uc/selectors/:selector_id/topology', 'none', false, 'nothing'],
  },
  selectors: {
    create: ['POST', '/rest/v1/uc/selectors', 'json', false, 'json'],
    list: ['GET', '/rest/v1/uc/selectors', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/selectors', 'none', true, 'count'],
    get: ['GET', '/rest/v1/uc/selectors/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/uc/selectors/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/uc/selectors/:id', 'none', false, 'nothing'],
  },
  serviceScripts: {
    create: ['POST', '/rest/v1/domain/svcscripts', 'json', false, 'json'],
    list: ['GET', '/rest/v1/domain/svcscripts', 'none', true, 'json'],
    count: ['GET', '/rest/v1/domain/svcscripts', 'none', true, 'count'],
    get: ['GET', '/rest/v1/domain/svcscripts/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/domain/svcscripts/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/domain/svcscripts/:id', 'none', false, 'nothing'],
    lookup: ['LOOKUP', '/rest/v1/domain/svcscripts', 'json', false, 'json'],
  },
  sessions: {
    logIn: ['POST', '/rest/v1/iam/sessions', 'json', false, 'json'],
    current: ['GET', '/rest/v1/iam/sessions/current', 'none', false, 'json'],
    switchDomain: ['PATCH', '/rest/v1/iam/sessions/current', 'json', false, 'nothing'],
    logOut: ['DELETE', '/rest/v1/iam/sessions/current', 'none', false, 'nothing'],
  },
  sgBans: {
    ban: ['POST', '/rest/v1/master/logicalroles/sg/bannedaddrs', 'json', true, 'json'],
    list: ['GET', '/rest/v1/master/logicalroles/sg/bannedaddrs', 'none', true, 'json'],
    count: ['GET', '/rest/v1/master/logicalroles/sg/bannedaddrs', 'none', true, 'count'],
    deleteAll: ['DELETE', '/rest/v1/master/logicalroles/sg/bannedaddrs', 'none', true, 'nothing'],
    delete: ['DELETE', '/rest/v1/master/logicalroles/sg/bannedaddrs/:ip', 'none', true, 'nothing'],
  },
  sipUserStates: {
    list: ['GET', '/rest/v1/uc/sipuser_states', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/sipuser_states', 'none', true, 'count'],
    get: ['GET', '/rest/v1/uc/sipuser_states/:id', 'none', true, 'json'],
    delete: ['DELETE', '/rest/v1/uc/sipuser_states/:id', 'none', false, 'nothing'],
  },
  sipUsers: {
    create: ['POST', '/rest/v1/uc/sipusers', 'json', false, 'json'],
    list: ['GET', '/rest/v1/uc/sipusers', 'none', true, 'json'],
    count: ['GET', '/rest/v1/uc/sipusers', 'none', true, 'count'],
    get: ['GET', '/rest/v1/uc/sipusers/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/uc/sipusers/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/uc/sipusers/:id', 'none', false, 'nothing'],
    lookup: ['LOOKUP', '/rest/v1/uc/sipusers', 'json', false, 'json'],
  },
  users: {
    create: ['POST', '/rest/v1/domain/domains/:domain_id/users', 'json', false, 'json'],
    list: ['GET', '/rest/v1/domain/domains/:domain_id/users', 'none', true, 'json'],
    count: ['GET', '/rest/v1/domain/domains/:domain_id/users', 'none', true, 'count'],
    get: ['GET', '/rest/v1/domain/domains/:domain_id/users/:id', 'none', true, 'json'],
    update: ['PATCH', '/rest/v1/domain/domains/:domain_id/users/:id', 'json', false, 'json'],
    delete: ['DELETE', '/rest/v1/domain/domains/:domain_id/users/:id', 'none', false, 'nothing'],
    lookup: ['LOOKUP', '/rest/v1/domain/domains/:domain_id/users', 'json', false, 'json'],
  },
  wsBans: {
    list: ['GET', '/rest/v1/master/logicalroles/ws/bannedaddrs', 'none', true, 'json'],
    count: ['GET', '/rest/v1/master/logicalroles/ws/bannedaddrs', 'none', true, 'count'],
    deleteAll: ['DELETE', '/rest/v1/master/logicalroles/ws/bannedaddrs', 'none', true, 'nothing'],
    delete: ['DELETE', '/rest/v1/master/logicalroles/ws/bannedaddrs/:ip', 'none', true, 'nothing'],
  },
  wsSiteBans: {
    list: ['GET', '/rest/v1/master/logicalroles/ws/bannedaddrs/site', 'none', true, 'json'],
    count: ['GET', '/rest/v1/master/logicalroles/ws/bannedaddrs/site', 'none', true, 'count'],
    deleteAll: ['DELETE', '/rest/v1/master/logicalroles/ws/bannedaddrs/site', 'none', false, 'nothing'],
    delete: ['DELETE', '/rest/v1/master/logicalroles/ws/bannedaddrs/site/:ip', 'none', false, 'nothing'],
  },
};
