/** Chat campaigns: which bots and scripts work in a chat project. (documented; bounds chosen) */
import { nilUuid } from '../uuid.ts';
import { entity } from './entity.ts';
import { opts, text, uuid } from './field.ts';

const name = () => text({ initial: '' });

export const chatCampaign = entity({
  kind: 'chatcampaign',
  noun: 'chat campaign',
  nouns: 'chat campaigns',
  path: '/rest/v1/uc/chatcampaigns',
  domain: 'any',
  fields: {
    code: text({ least: 1, most: 100 }),
    name: name(),
    projectid: uuid({ initial: nilUuid }),
    autobot: name(),
    queuebot: name(),
    dialogbot: name(),
    inactivebot: name(),
    rotationbot: name(),
    finalbot: name(),
    stopbot: name(),
    gethistoryscr: name(),
    searchhistoryscr: name(),
    ctxmenuscr: name(),
    defaulthuntuser: name(),
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
