/** Bugs as reviews and incidents of such platforms have them, planted without a look at the oracles. */
import { done } from '../../../src/model/fault.ts';
import type { PlantedBug } from '../plant.ts';
import { everyNth, isRequest, losing } from '../spoiling.ts';

export const outsiderBugs: readonly PlantedBug[] = [
  {
    name: 'front-reads-the-copy',
    does: 'ws reads single items from the copy of its site although the master is in reach.',
    role: 'ws',
    scope: (scope) => {
      const copy = scope.map.instancesOf('sdc').find(({ site }) => site === scope.instance.site)?.address;
      const ask: typeof scope.ask = (to, type, body) =>
        scope.ask((type as string) === 'data.get' && copy !== undefined ? copy : to, type, body);
      return { ...scope, ask };
    },
  },
  {
    name: 'patch-forgets-other-options',
    does: 'mdc replaces all options of an item by the options of a change.',
    role: 'mdc',
    handlers: (right) => ({
      'data.patch': async (body, envelope) => {
        const before = await right['data.get']?.({ ...body, isAdmin: true }, envelope);
        const { opts } = body.patch;
        if (opts === undefined || !before.ok) return right['data.patch']?.(body, envelope);
        const none = Object.fromEntries(Object.keys(before.value.item.opts ?? {}).map((name) => [name, null]));
        return right['data.patch']?.({ ...body, patch: { ...body.patch, opts: { ...none, ...opts } } }, envelope);
      },
    }),
  },
  {
    name: 'taken-name-is-accepted',
    does: 'mdc accepts a name that an item with another spelling of it has.',
    role: 'mdc',
    handlers: (right) => {
      const isOdd = everyNth(2);
      return {
        'data.create': (body, envelope) => {
          const name = ['code', 'folder'].find((each) => typeof body.given[each] === 'string');
          if (name === undefined || !isOdd()) return right['data.create']?.(body, envelope);
          const given = { ...body.given, [name]: `${body.given[name]} ` };
          return right['data.create']?.({ ...body, given }, envelope);
        },
      };
    },
  },
  {
    name: 'unregistered-device-rings',
    does: 'sr acknowledges every second REGISTER that removes a device, and keeps the device.',
    role: 'sr',
    handlers: (right) => {
      const isLost = everyNth(2);
      return {
        'registrar.unbind': (body, envelope) =>
          body.callid !== undefined && isLost() ? done({ removed: 1 }) : right['registrar.unbind']?.(body, envelope),
      };
    },
  },
  {
    name: 'ban-lifted-with-another',
    does: 'sg lifts all bans where one is to be lifted.',
    role: 'sg',
    handlers: (right) => ({ 'filter.remove': (_, envelope) => right['filter.clear']?.({}, envelope) }),
  },
  {
    name: 'event-lost-at-reconnect',
    does: 'callstore leaves out the first event that a subscription reads behind its cursor.',
    role: 'callstore',
    handlers: (right) => ({
      'events.read': async (body, envelope) => {
        const outcome = await right['events.read']?.(body, envelope);
        return outcome.ok ? done({ ...outcome.value, items: outcome.value.items.slice(1) }) : outcome;
      },
    }),
  },
  {
    name: 'pushed-events-from-the-start',
    does: 'callstore forgets what a follower has when it follows again, and says that nothing is missing.',
    role: 'callstore',
    handlers: (right) => ({
      'events.follow': async (body, envelope) => {
        const outcome = await right['events.follow']?.(body, envelope);
        const isAgain = body.after.length > 0;
        return outcome.ok && isAgain ? done({ ...outcome.value, items: [] }) : outcome;
      },
    }),
  },
  {
    name: 'conference-command-lost',
    does: 'conf acknowledges every second removal of a participant, who stays.',
    role: 'conf',
    handlers: (right) => {
      const isLost = everyNth(2);
      return {
        'conference.remove': (body, envelope) => (isLost() ? done({}) : right['conference.remove']?.(body, envelope)),
      };
    },
  },
  {
    name: 'hold-without-media',
    does: 'b2b does not pass a re-INVITE on to the other side after every third.',
    role: 'b2b',
    scope: (scope) => {
      const isLost = everyNth(3);
      return losing(
        scope,
        'sip',
        (message) => isRequest(message, 'INVITE') && message.to.tag !== undefined && isLost(),
      );
    },
  },
  {
    name: 'recording-without-end',
    does: 'callstore says that the recordings of a call were deleted, and deletes none.',
    role: 'callstore',
    handlers: () => ({ 'callstore.recordings.delete': ({ names }) => done({ deleted: names }) }),
  },
];
