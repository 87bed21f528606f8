/** Lists of live calls and of call records. */
import type { CollectionShape } from '../collection/shape.ts';
import type { Cdr, Dialog } from '../protocol/callstore.ts';

/** Names that a list's mask knows: documented. */
export const dialogShape: CollectionShape<Dialog> = {
  fields: [
    'acallid',
    'callids',
    'dialogid',
    'esgdlg',
    'inviteid',
    'status',
    'legs',
    'localuri',
    'remoteuri',
    'site',
    'startts',
    'uris',
    'opts',
  ],
  defaultOrder: ['startts', 'dialogid'],
  tieBreak: ['dialogid'],
  isCountable: true,
};

/** Call records, the one that began first in front. (chosen) */
export const recordShape: CollectionShape<Cdr> = {
  defaultOrder: ['startts', 'inviteid'],
  tieBreak: ['inviteid'],
  isCountable: true,
};
