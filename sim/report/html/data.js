/**
 * What the page of a run shows, as plain data that goes into the page. Moments are milliseconds since the cluster was ready.
 * Texts that come again and again are kept once, in `names`, and named by their place there.
 */
export {};
