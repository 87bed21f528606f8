/** What the platform has and this product does not, or not yet: one list for the routes and the documents. */

export interface Unbuilt {
  readonly what: string;
  readonly answer: string;
  readonly why: string;
}

/** Verbs of calls; each answers 501. */
export const unbuiltVerbs = [
  { method: 'INVITEBYIVR', below: '', needs: 'it needs IVR scripts' },
  { method: 'SETUP_ASR', below: '/:dialogid', needs: 'it needs speech, and media is not simulated' },
] as const;

export const unbuilt: readonly Unbuilt[] = [
  ...unbuiltVerbs.map(({ method, needs }) => ({ what: `${method} of calls`, answer: '501', why: needs })),
  { what: '`/exec`', answer: '404', why: 'there are no service scripts, nor integration channels' },
  {
    what: '`/rest/v1/iam/external`',
    answer: '404',
    why: 'no domain has a script of external authentication (404 is documented for that)',
  },
  { what: 'PATCH of `/rest/v1/master/nodes/<name>`', answer: '405', why: 'what may be changed is not public' },
  {
    what: 'events of the classes ccsevents, ivrevents',
    answer: 'never told',
    why: 'there are neither chats nor IVR scripts',
  },
  { what: 'media', answer: '', why: 'only who hears whom is simulated; recordings are tones of the right length' },
];
