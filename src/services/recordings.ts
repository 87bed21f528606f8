/** Recordings of calls: which ones there are at which site, one of them, and the end of them. */
import { FaultError, fault } from '../model/fault.ts';
import type { ReplyOf } from '../model/protocol/catalogue.ts';
import { fileNameOf, type Recording } from '../model/recording.ts';
import { awayFault } from '../runtime/asking.ts';
import type { RoleScope } from '../runtime/role.ts';
import { type Asker, command, lookUp } from './mware.ts';

/** The recordings of a call by site, and the sites of the domain that said nothing. */
export function listRecordings(scope: RoleScope, asker: Asker, inviteid: string): Promise<ReplyOf<'mware.recordings'>> {
  return lookUp(scope, 'mware.recordings', { ...asker, inviteid });
}

/** The recording with this file name. Throws `not_found`, or `unreachable` where a site that may have it is away. */
export async function findRecording(
  scope: RoleScope,
  asker: Asker,
  { inviteid, name }: { readonly inviteid: string; readonly name: string },
): Promise<Recording> {
  const { sites, missing } = await listRecordings(scope, asker, inviteid);
  const all = sites.flatMap(({ recordings }) => recordings);
  const found = all.find((each) => fileNameOf(each) === name);
  if (found !== undefined) return found;
  // The words of the interface. (documented)
  if (missing.length === 0) throw new FaultError(fault('not_found', 'Call record not found'));
  const away = missing.map((site) => `callstore of site ${site}`).join(', ');
  throw new FaultError(awayFault(away, scope.instance.site));
}

/** Deletes a recording by the name of its file or, without a name, all of the call. Answers the sites that were away. */
export async function deleteRecordings(
  scope: RoleScope,
  asker: Asker,
  { inviteid, name }: { readonly inviteid: string; readonly name?: string | undefined },
): Promise<readonly string[]> {
  return (await command(scope, 'mware.recordings.delete', { ...asker, inviteid, name })).missing;
}
