/** Chat campaigns: which bots and scripts work in a chat project. (documented; bounds, and what runs the scripts, chosen) */
import { nilUuid } from '../uuid.ts';
import { entity } from './entity.ts';
import { forPeople, opts, stored, text, uuid } from './field.ts';

const noChats = 'chats are not simulated';

/** What a bot or a script does is not public: the words follow the names. */
const bot = (does: string) => stored(noChats, text({ initial: '', does: `${does}, by name; empty: none` }));
const script = (does: string, end: string) =>
  text({ initial: '', does: `Code of the service script that ${does}: POST \`…/{id}/${end}\` runs it; empty: none` });

export const chatCampaign = entity({
  kind: 'chatcampaign',
  noun: 'chat campaign',
  nouns: 'chat campaigns',
  path: '/rest/v1/uc/chatcampaigns',
  domain: 'any',
  fields: {
    code: text({ least: 1, most: 100, does: 'Code of the campaign, unique in the domain' }),
    name: stored(forPeople, text({ initial: '', does: 'Name of the campaign' })),
    projectid: stored(noChats, uuid({ initial: nilUuid, does: 'Id of the chat project; all zeros: none' })),
    autobot: bot('Bot that answers before a conversation is assigned'),
    queuebot: bot('Bot that serves the visitor while the conversation is queued'),
    dialogbot: bot('Bot that takes part in the conversation'),
    inactivebot: bot('Bot that acts when the visitor is inactive'),
    rotationbot: bot('Bot that acts when the conversation goes to another operator'),
    finalbot: bot('Bot that closes the conversation'),
    stopbot: bot('Bot that acts when the conversation is stopped'),
    gethistoryscr: script('loads the history of a conversation', 'history'),
    searchhistoryscr: script('searches the history', 'history/search'),
    ctxmenuscr: script('makes the context menu of a conversation', 'contextmenu'),
    defaulthuntuser: stored(
      noChats,
      text({ initial: '', does: 'Login of the user who gets a conversation by default; empty: none' }),
    ),
    opts: opts(),
  },
  list: [
    'id',
    'code',
    'name',
    'projectid',
    'autobot',
    'queuebot',
    'dialogbot',
    'inactivebot',
    'rotationbot',
    'finalbot',
    'stopbot',
    'gethistoryscr',
    'searchhistoryscr',
    'ctxmenuscr',
    'defaulthuntuser',
    'opts.title',
    'ext.lwt',
    'ext.ct',
  ],
  names: { searchhitoryscr: 'searchhistoryscr' },
  lookup: ['id', 'code'],
  unique: ['code'],
  operations: {
    create: 'documented',
    list: 'documented',
    get: 'documented',
    patch: 'documented',
    delete: 'documented',
    lookup: 'documented',
  },
});
