/** Live calls: look them up, start one, command one. */
import { limits } from '../model/limits.ts';
import type { Dialog } from '../model/protocol/callstore.ts';
import type { CallResult } from '../model/protocol/dialog.ts';
import type { CommandReply } from '../model/protocol/mware.ts';
import type { CallBody, CallCommand, CallKey, SearchKey } from '../model/requests/calls.ts';
import type { RoleScope } from '../runtime/role.ts';
import { type Asker, command, type Found, type Listed, list, lookUp } from './mware.ts';

/** How long X may ring when it is called in the place of a leg that it has, and how long it takes to know of Y, at most. */
const replacingMs = 30_000;
const calleeMs = limits.ringMs + 25_000;

export function listCalls(scope: RoleScope, asker: Asker, params: [string, string][]): Promise<Listed> {
  return list(scope, 'mware.calls', { ...asker, params });
}

export async function showCall(scope: RoleScope, asker: Asker, dialogid: string): Promise<Dialog> {
  return (await lookUp(scope, 'mware.call', { ...asker, dialogid })).dialog;
}

export function findCalls(scope: RoleScope, asker: Asker, search: SearchKey<CallKey>): Promise<Found> {
  return lookUp(scope, 'mware.calls.find', { ...asker, search });
}

/** Starts a call, by IVR or directly; answers when `response_mode` says. */
export function startCall(
  scope: RoleScope,
  asker: Asker,
  { by, call }: { by: 'ivr' | 'direct'; call: CallBody },
): Promise<CallResult> {
  const longMs = waitOf(call.response_mode, call.timeout * 1_000);
  return command(scope, 'mware.call.start', { ...asker, by, call }, longMs);
}

export function commandCall(
  scope: RoleScope,
  asker: Asker,
  { dialogid, order }: { dialogid: string; order: CallCommand },
): Promise<CommandReply> {
  const longMs = order.verb === 'REFER' ? waitOf(order.body.response_mode, replacingMs) : 0;
  return command(scope, 'mware.call.command', { ...asker, dialogid, command: order }, longMs);
}

/** How long the answer may be waited for: for X from mode 1 on, for Y too from mode 2 on. */
function waitOf(responseMode: number, ringMs: number): number {
  if (responseMode === 0) return 0;
  return responseMode === 1 ? ringMs : ringMs + calleeMs;
}
