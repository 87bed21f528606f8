/** Bugs of what must happen in time: elections, copies, files, meetings. */
import type { ClusterView } from '../../../src/cluster/membership/view.ts';
import { done } from '../../../src/model/fault.ts';
import type { BodyOf } from '../../../src/model/protocol/catalogue.ts';
import type { PlantedBug } from '../plant.ts';
import { everyNth, losing } from '../spoiling.ts';

type Reported = ClusterView['reportedStatusOf'];

/** Makes the node see other statuses of the members of a group. It comes with the first callstore of a node. */
function seeing(
  name: string,
  does: string,
  spoil: (right: Reported, view: ClusterView, nowMs: () => number) => Reported,
): PlantedBug {
  return {
    name,
    does,
    role: 'callstore',
    scope: (scope) => {
      const { view } = scope;
      const right: Reported = (instance) => Object.getPrototypeOf(view).reportedStatusOf.call(view, instance);
      const value = spoil(right, view, () => scope.clock.now());
      Object.defineProperty(view, 'reportedStatusOf', { value, configurable: true });
      return scope;
    },
  };
}

/** How long a lost instance counts as active. */
const stubbornMs = 15_000;

export const waitingBugs: readonly PlantedBug[] = [
  seeing(
    'takeover-without-waiting',
    'a standby takes over at once when it does not see the other members of its group.',
    (right) => (instance) => right(instance) ?? 'stopped',
  ),
  seeing(
    'two-that-do-not-yield',
    'of two members of a group that serve, none yields when they see each other again.',
    (right, view) => (instance) => {
      const status = right(instance);
      const own = view.self.instances.some((each) => each.role === instance.role && view.statusOf(each) === 'active');
      return own && status === 'active' ? 'standby' : status;
    },
  ),
  seeing(
    'takeover-too-late',
    'a standby goes on believing for 15 seconds that a lost member serves.',
    (right, _, nowMs) => {
      const activeMs = new Map<string, number>();
      return (instance) => {
        const status = right(instance);
        if (status === 'active') activeMs.set(instance.name, nowMs());
        const isRecent = nowMs() - (activeMs.get(instance.name) ?? Number.NEGATIVE_INFINITY) < stubbornMs;
        return status === undefined && isRecent ? 'active' : status;
      };
    },
  ),
  {
    name: 'registration-stays-at-its-site',
    does: 'sr does not send a new registration to the sr instances of other sites.',
    role: 'sr',
    scope: (scope) =>
      losing(scope, 'registrar.copied', (_, to) => scope.map.instances.get(to)?.site !== scope.instance.site),
  },
  {
    name: 'file-commit-lost',
    does: 'mdc acknowledges every third file, and keeps what was there before.',
    role: 'mdc',
    handlers: (right) => {
      const isLost = everyNth(3);
      let last: unknown;
      return {
        'file.commit': async (body, envelope) => {
          if (last !== undefined && isLost()) return done(last);
          const outcome = await right['file.commit']?.(body, envelope);
          if (outcome.ok) last = outcome.value;
          return outcome;
        },
      };
    },
  },
  {
    name: 'meeting-without-calls',
    does: 'conf acknowledges the participants that it should call, and calls none.',
    role: 'conf',
    handlers: () => ({
      'conference.call': ({ invitations }: BodyOf<'conference.call'>) =>
        done({ participantids: invitations.map(([to]) => to) }),
    }),
  },
];
