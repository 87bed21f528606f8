/** A change of a registration reaches its copies at once. */
import type { InstanceEntry } from '../../../../src/model/cluster/cluster-map.ts';
import { coverOf } from '../../../../src/model/domain-tree.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { Connectedness } from '../cluster/one-home.ts';
import { together } from '../kit/shared.ts';

/** The registration of one device, at all instances that have it. */
interface Device {
  readonly registeredAt: Set<string>;
  /** Where it has expired: a refresh may not have arrived there. */
  readonly expiredAt: Set<string>;
  /** The first and the last change since all had the same. */
  firstMs: number;
  changedMs: number;
  /** How often copies had been withheld by then. */
  withheld: number;
}

export const registrationsFollow: OracleMaker = {
  name: 'registrations-follow',
  rule: 'A registration that one sr instance makes or removes is made or removed at all others that serve its domain: within two seconds if nothing was broken meanwhile, otherwise within 65 seconds of connected nodes.',
  exclusions:
    'Runs in which the clock of a node was wrong: of two changes the one that seems later wins. registrations-end judges when registrations expire.',
  make: ({ map, now, fired, areClocksRight, check, fail }) => {
    const { quickMs, comparedMs } = boundsOf(map);
    const links = new Connectedness();
    const devices = new Map<string, Device>();
    /** Devices whose copies may differ. */
    const open = new Set<string>();
    const serving = new Set<string>();
    let changedMs = 0;
    const servers = (key: string): InstanceEntry[] => {
      const domain = key.slice(0, key.indexOf('/'));
      return map
        .instancesOf('sr')
        .filter(({ address, domains }) => serving.has(address) && coverOf(domain, domains) !== undefined);
    };
    const forget = (owner: string) => {
      serving.delete(owner);
      for (const { registeredAt } of devices.values()) registeredAt.delete(owner);
    };
    const listeners: ObservationListeners = {
      'entity.state': {
        binding: ({ owner, key, state, atMs }) => {
          const device = devices.get(key) ?? newDevice(atMs);
          devices.set(key, device);
          if (state === 'expired') device.expiredAt.add(owner);
          else device.expiredAt.delete(owner);
          if (device.registeredAt.has(owner) === (state === 'registered')) return;
          if (state === 'registered') device.registeredAt.add(owner);
          else device.registeredAt.delete(owner);
          if (state === 'expired') return;
          device.changedMs = atMs;
          if (open.has(key)) return;
          device.firstMs = atMs;
          device.withheld = fired('registrar.untold');
          open.add(key);
        },
      },
      'instance.status': ({ instance, status, atMs }) => {
        if (map.instances.get(instance)?.role !== 'sr') return;
        changedMs = atMs;
        if (status === 'active' || status === 'standby') serving.add(instance);
        else forget(instance);
      },
      'node.ended': ({ node, atMs }) => {
        changedMs = atMs;
        for (const { address } of map.node(node).instances) forget(address);
      },
    };
    const judge = (key: string, device: Device, nowMs: number) => {
      const wholeMs = Math.min(links.forMs(nowMs), nowMs - changedMs);
      const sinceMs = nowMs - device.changedMs;
      // All nodes must know an instance that has just started.
      const isUntouched = wholeMs > nowMs - device.firstMs + quickMs && device.withheld === fired('registrar.untold');
      if (isUntouched ? sinceMs <= quickMs : Math.min(wholeMs, sinceMs) <= comparedMs) return;
      open.delete(key);
      check();
      const all = servers(key).flatMap(({ address }) => (device.expiredAt.has(address) ? [] : [address]));
      const [here, there] = [true, false].map((is) => all.filter((each) => device.registeredAt.has(each) === is));
      if (here === undefined || there === undefined || here.length === 0 || there.length === 0) return;
      fail(`${key} is registered at ${here.join(', ')}, and for ${Math.round(sinceMs)} ms not at ${there.join(', ')}`);
    };
    return {
      listeners: together(links.listeners, listeners),
      tick: () => {
        if (!areClocksRight()) return;
        const nowMs = now();
        for (const key of open) {
          const device = devices.get(key);
          if (device !== undefined) judge(key, device, nowMs);
        }
      },
    };
  },
};

function newDevice(atMs: number): Device {
  return { registeredAt: new Set(), expiredAt: new Set(), firstMs: atMs, changedMs: atMs, withheld: 0 };
}
