// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface DomainsItem {
  /** Id of the domain, for the paths of its users */
  readonly id: string;
  /** Name of the domain, such as `acme.root.test` */
  readonly name: string;
  /** Id of the parent domain; empty for the master domain */
  readonly parent_id: string;
  /** Whether it is the master domain */
  readonly is_master: boolean;
  /** Solution type of the domain */
  readonly solution: string;
  /** Sites that serve the domain */
  readonly sites: readonly string[];
}

export interface Domains {
  /** Lists the session's domain and, for an administrator, those below it. (`GET /rest/v1/domain/domains`) */
  list<M extends keyof DomainsItem = keyof DomainsItem>(query?: ListQuery<DomainsItem, M>, options?: RequestOptions): Promise<readonly Pick<DomainsItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<DomainsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a domain, by its id or its name. (`GET /rest/v1/domain/domains/:domain_id`) */
  get<M extends keyof DomainsItem = keyof DomainsItem>(domainId: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<DomainsItem, M>>;
}
