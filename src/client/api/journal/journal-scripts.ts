// Generated from src/http/routes by `npm run docs`.
import type { Filter, ListQuery, RequestOptions } from '../../requests.ts';

export interface JournalScriptsItem {
  /** Id of the run */
  readonly id: string;
  /** Kind of the script: `svcscript` */
  readonly kind: string;
  /** Code of the script */
  readonly code: string;
  /** What started it: `exec`, `external`, `token` … */
  readonly by: string;
  /** Site that runs it */
  readonly site: string;
  /** How far it is */
  readonly status: 'running' | 'finished' | 'failed';
  /** Why it failed: script, component, field */
  readonly problem?: string | undefined;
  /** When it started, milliseconds since the epoch */
  readonly startts: number;
  /** When it ended, milliseconds since the epoch */
  readonly endts?: number | undefined;
  /** Number of components executed */
  readonly passed: number;
}

export interface JournalScriptsGetAnswer {
  /** Id of the run */
  readonly id: string;
  /** Kind of the script: `svcscript` */
  readonly kind: string;
  /** Code of the script */
  readonly code: string;
  /** What started it: `exec`, `external`, `token` … */
  readonly by: string;
  /** Site that runs it */
  readonly site: string;
  /** How far it is */
  readonly status: 'running' | 'finished' | 'failed';
  /** Why it failed: script, component, field */
  readonly problem?: string | undefined;
  /** When it started, milliseconds since the epoch */
  readonly startts: number;
  /** When it ended, milliseconds since the epoch */
  readonly endts?: number | undefined;
  /** Number of components executed */
  readonly passed: number;
  /** The last components executed */
  readonly steps: readonly {
    /** When, milliseconds since the epoch */
    readonly at: number;
    /** Code of the script */
    readonly script: string;
    /** Name of the component */
    readonly component: string;
    /** Type of the component */
    readonly type: string;
    /** The branch taken, the line of a log, or the nested script */
    readonly note?: string | undefined;
  }[];
  /** Variables of the script */
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface JournalScripts {
  /** Lists the last runs of service scripts of the domain. (`GET /rest/v1/journal/scripts`) */
  list<M extends keyof JournalScriptsItem = keyof JournalScriptsItem>(query?: ListQuery<JournalScriptsItem, M>, options?: RequestOptions): Promise<readonly Pick<JournalScriptsItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<JournalScriptsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a run of a service script with its steps and variables. (`GET /rest/v1/journal/scripts/:id`) */
  get(id: string, options?: RequestOptions): Promise<JournalScriptsGetAnswer>;
}
