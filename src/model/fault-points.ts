/**
 * Points in the platform at which something unlikely may happen that it must bear. A simulation makes it happen more often;
 * everywhere else it does not.
 */
export const faultPoints = {
  'instance.dies': 'An instance dies when it begins to serve.',
  'stream.untold': 'A source does not tell items of its stream: who listens must notice and ask.',
  'stream.short_page': 'A source gives its past one item at a time.',
  'list.short_piece': 'A list that would fit into one answer is given item by item.',
  'follow.unpushed': 'callstore does not push events to a follower, which must notice and ask.',
  'session.untold': 'ws does not tell the others of a session: they must ask for it.',
  'registrar.untold': 'sr does not tell a copy of a registration: it must be found when copies are compared.',
  'data.untold': 'mdc does not tell who follows of a change: it must be noticed.',
  'data.all_anew': 'mdc does not know any more what has changed since a moment, and tells all.',
} as const;

export type FaultPoint = keyof typeof faultPoints;
