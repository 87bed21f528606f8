/** A provider account that counts as registered is registered at its provider. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import { accountsOf, providersOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';

export const accountsRegistered: OracleMaker = {
  name: 'accounts-registered',
  rule: 'While an esg shows a provider account as registered, its provider has granted it a registration that is not over: the esg refreshes it in time, however short the granted time is.',
  exclusions:
    'Runs in which the clock of a node was wrong, and nodes that are paused: timers run at other times there.',
  make: ({ map, areClocksRight, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const providers = new Set(providersOf(map).map(({ endpoint }) => endpoint));
    const gates = new Map<string, string>(map.instancesOf('esg').map((gate) => [gate.address, map.endpointOf(gate)]));
    /** The name of each account at its provider. */
    const names = new Map(
      accountsOf(map).map(({ key, provider: { username, domain } }) => [key, `sip:${username}@${domain}`] as const),
    );
    /** Until when a provider has granted a registration, by the name of the account and the endpoint of the esg. */
    const grants = new Map<string, number>();
    /** Accounts that count as registered, with the names of their grants. */
    const registered = new Map<string, string>();
    /** When the nodes that were paused resumed; infinite while they are paused. */
    const resumedMs = new Map<string, number>();
    return {
      listeners: {
        'outside.sent': {
          REGISTER: ({ from, to, message, atMs }) => {
            if (message.kind !== 'response' || !providers.has(from)) return;
            const { status, expires = 0 } = message;
            if (status === 200) grants.set(`${message.from.uri} ${to}`, atMs + 1_000 * expires);
          },
        },
        'entity.state': {
          registration: ({ owner, key, state }) => {
            const account = `${owner} ${key}`;
            if (state === 'registered') registered.set(account, `${names.get(key)} ${gates.get(owner)}`);
            else if (registered.delete(account)) check();
          },
        },
        'fault.inflicted': ({ verb, args, atMs }) => {
          if (verb === 'pauseNode') resumedMs.set(String(args[0]), Number.POSITIVE_INFINITY);
          if (verb === 'resumeNode') resumedMs.set(String(args[0]), atMs);
        },
        'node.ended': ({ node }) => void resumedMs.delete(node),
      },
      tick: (nowMs) => {
        if (!areClocksRight()) return;
        for (const [account, grant] of registered) {
          const [owner = ''] = account.split(' ');
          const endMs = Math.max(grants.get(grant) ?? nowMs, resumedMs.get(nodeOf(owner)) ?? 0);
          if (nowMs <= endMs + promptMs) continue;
          registered.delete(account);
          fail(
            `${account} counts as registered, and its registration has been over for ${Math.round(nowMs - endMs)} ms`,
          );
        }
      },
    };
  },
};
