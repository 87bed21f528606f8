/** Recordings of calls, at all sites that serve the domain: each site has those of its own b2b instances. */

import { unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { done, failed, type Outcome } from '../../model/fault.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import { fileNameOf, type RecordingList as Kept } from '../../model/recording/recording.ts';
import type { Callstores } from './callstores.ts';
import { noRecord } from './lookups.ts';
import { lookUntilMs, ownUsers, type RequestContext } from './request-context.ts';

/** A site with recordings of a call. */
interface SiteRecordings {
  readonly from: InstanceEntry;
  readonly recordings: Kept;
}

interface Found {
  readonly atSites: readonly SiteRecordings[];
  readonly missing: readonly string[];
}

export class RecordingRequests {
  readonly #scope: RoleScope;
  readonly #stores: Callstores;

  constructor(scope: RoleScope, stores: Callstores) {
    this.#scope = scope;
    this.#stores = stores;
  }

  async list(context: RequestContext, inviteid: string): Promise<Outcome<ReplyOf<'mware.recordings'>>> {
    const found = await this.#find(context, inviteid);
    if (!found.ok) return found;
    const { atSites, missing } = found.value;
    const sites = atSites.map(({ from, recordings }) => ({ site: from.site, recordings: [...recordings] }));
    return done({ sites, missing: [...missing] });
  }

  async delete(
    context: RequestContext,
    inviteid: string,
    name: string | undefined,
  ): Promise<Outcome<ReplyOf<'mware.recordings.delete'>>> {
    const found = await this.#find(context, inviteid);
    if (!found.ok) return found;
    const { atSites, missing } = found.value;
    if (name === undefined) return this.#deleteAll(context, inviteid, found.value);
    const atSite = atSites.find(({ recordings }) => recordings.some((each) => fileNameOf(each) === name));
    if (atSite === undefined) return failed(this.#absence(missing));
    const replies = await this.#deleteAt(context, inviteid, { from: atSite.from, names: [name] });
    if (!replies.ok) return replies;
    // Another request was faster.
    return replies.value.deleted.length === 0 ? failed(noRecord) : done({ missing: [] });
  }

  /** Deletes at each site that has recordings. A site that does not answer counts as missing, unless none answers. */
  async #deleteAll(
    context: RequestContext,
    inviteid: string,
    { atSites, missing }: Found,
  ): Promise<Outcome<ReplyOf<'mware.recordings.delete'>>> {
    const replies = await Promise.all(
      atSites.map(({ from, recordings }) =>
        this.#deleteAt(context, inviteid, { from, names: recordings.map(fileNameOf) }),
      ),
    );
    const refusals = replies.filter((outcome) => !outcome.ok);
    if (refusals[0] !== undefined && refusals.length === replies.length) return refusals[0];
    const silent = atSites.flatMap(({ from }, index) => (replies[index]?.ok === true ? [] : [from.site]));
    return done({ missing: [...missing, ...silent] });
  }

  #deleteAt(
    context: RequestContext,
    inviteid: string,
    { from, names }: { readonly from: InstanceEntry; readonly names: string[] },
  ): Promise<Outcome<ReplyOf<'callstore.recordings.delete'>>> {
    const body = { domain: context.domain, ...ownUsers(context), inviteid, names };
    const deadlineMs = lookUntilMs(this.#scope, context);
    return this.#scope.ask(from.address, 'callstore.recordings.delete', body, { deadlineMs });
  }

  /** The sites with recordings of a call. A fault if the call is not known at the sites that answer. */
  async #find(context: RequestContext, inviteid: string): Promise<Outcome<Found>> {
    const gathered = await this.#stores.gather(context, 'callstore.recordings', { inviteid, ...ownUsers(context) });
    if (!gathered.ok) return gathered;
    const { found, missing } = gathered.value;
    if (missing.length === 0 && !found.some(({ reply }) => reply.isKnown)) return failed(noRecord);
    const atSites = found.flatMap(({ reply: { recordings }, from }) =>
      recordings.length === 0 ? [] : [{ from, recordings }],
    );
    return done({ atSites, missing });
  }

  #absence(missing: readonly string[]) {
    if (missing.length === 0) return noRecord;
    const silent = missing.map((site) => `callstore of site ${site}`).join(', ');
    return unreachableFault(silent, this.#scope.instance.site);
  }
}
