/** What to trust before going live: the interface shows it, public facts name it, or this product chose it. */
export type Provenance = 'documented' | 'public' | 'chosen';

/** The key under which a schema says so of itself; what says nothing is as its route. */
export const sourceKey = 'x-strowger-source';

/** For the `meta` of a schema. */
export const chosen = { [sourceKey]: 'chosen' } as const;
export const publicSource = { [sourceKey]: 'public' } as const;
