/** An esg ends the registration of an account that it gives up, and tries a failed one again in time. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import { accountsOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { together, whenLost } from '../kit/shared.ts';

/** The wait before the first attempt after a failure; it doubles with each further one. */
const firstWaitMs = 30_000;
const longestWaitMs = 600_000;
const releasedMs = 1_000;

interface Account {
  state: string;
  sinceMs: number;
  /** How long it is to wait before the next attempt. */
  waitMs: number;
}

export const accountsReleased: OracleMaker = {
  name: 'accounts-released',
  rule: 'Only an esg of its own site has a provider account. One that gives up a registered account sends a REGISTER that ends the registration within a second. After a failed one it waits 30 s for the next attempt, twice as long after each further failure, ten minutes at most, and 30 s again after a success.',
  exclusions: 'Instances that end or crash; runs in which the clock of a node was wrong, and nodes that were paused.',
  make: ({ map, areClocksRight, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const gates = new Map<string, string>(map.instancesOf('esg').map((gate) => [gate.address, map.endpointOf(gate)]));
    const siteOf = new Map(accountsOf(map).map(({ key, gate }) => [key, gate.site] as const));
    const names = new Map(
      accountsOf(map).map(({ key, provider: { username, domain } }) => [key, `sip:${username}@${domain}`] as const),
    );
    const accounts = new Map<string, Account>();
    /** When accounts were given up that are to be ended at their provider, by endpoint and name. */
    const due = new Map<string, { readonly account: string; readonly atMs: number }>();
    /** When the registration of an account was ended last. */
    const endedMs = new Map<string, number>();
    const paused = new Set<string>();
    const forget = (address: string) => {
      for (const entries of [accounts, due])
        for (const [key, value] of entries) {
          const [owner = ''] = ('account' in value ? value.account : key).split(' ');
          if (owner === address) entries.delete(key);
        }
    };
    const judgeWait = (account: string, { sinceMs, waitMs }: Account, atMs: number) => {
      if (!areClocksRight() || paused.has(nodeOf(account.split(' ')[0] ?? ''))) return;
      check();
      const tookMs = atMs - sinceMs;
      if (Math.abs(tookMs - waitMs) > quickMs)
        fail(`${account} tries its registration again after ${Math.round(tookMs)} ms; expected ${waitMs} ms`);
    };
    const became = (account: string, [owner, key]: readonly [string, string], state: string, atMs: number) => {
      const site = map.instances.get(owner)?.site;
      if (!accounts.has(account) && site !== siteOf.get(key)) fail(`${account}: the account is of ${siteOf.get(key)}`);
      const before = accounts.get(account) ?? { state: '', sinceMs: atMs, waitMs: firstWaitMs };
      let { waitMs } = before;
      if (before.state === 'retry' && state === 'wait_result') {
        judgeWait(account, before, atMs);
        waitMs = Math.min(2 * waitMs, longestWaitMs);
      }
      // An event that changes nothing is reported too.
      if (state === before.state) return;
      if (state === 'registered') waitMs = firstWaitMs;
      accounts.set(account, { state, sinceMs: atMs, waitMs });
      if (state !== 'detached' || before.state !== 'registered') return;
      const name = `${gates.get(owner)} ${names.get(key)}`;
      // It is sent before the state is reported.
      if (atMs - (endedMs.get(name) ?? Number.NEGATIVE_INFINITY) <= releasedMs) check();
      else due.set(name, { account, atMs });
    };
    return {
      listeners: together(whenLost(map, forget, ['active', 'draining']), {
        'entity.state': {
          registration: ({ owner, key, state, atMs }) => {
            const account = `${owner} ${key}`;
            if (!names.has(key)) return;
            became(account, [owner, key], state ?? 'detached', atMs);
            if (state === undefined) accounts.delete(account);
          },
        },
        'outside.sent': {
          REGISTER: ({ from, message, atMs }) => {
            if (message.kind !== 'request' || message.expires !== 0) return;
            endedMs.set(`${from} ${message.from.uri}`, atMs);
            if (due.delete(`${from} ${message.from.uri}`)) check();
          },
        },
        'fault.inflicted': ({ verb, args }) => {
          if (verb === 'pauseNode') paused.add(String(args[0]));
        },
      }),
      tick: (nowMs) => {
        for (const [name, { account, atMs }] of due) {
          if (nowMs - atMs <= releasedMs) continue;
          due.delete(name);
          if (!paused.has(nodeOf(account.split(' ')[0] ?? '')))
            fail(`${account} was given up while it was registered, and no REGISTER has ended its registration`);
        }
      },
    };
  },
};
