/**
 * The actors that a machine has invoked or spawned. They are not run: what they say and how they end is told to the machine.
 * An actor says something only as long as it runs, and ends once.
 */
import { type AnyActor, type AnyMachineSnapshot, type AnyStateMachine, type AnyStateNode, createActor } from 'xstate';
import type { Event } from './moment.ts';

export interface Invoked {
  readonly id: string;
  /** The name of what is run; of what stands in the chart itself one that XState has made. */
  readonly src: string;
  /** Path of the state that invokes it. */
  readonly state: string;
}

const end = /^xstate\.(done|error)\.actor\.(.+)$/;
const word = /^xstate\.snapshot\.(.+)$/;

/** The id of the actor that tells an event of this type; `undefined`: it is another one's. */
export function teller(type: string): string | undefined {
  if (!type.startsWith('xstate.')) return undefined;
  return end.exec(type)?.[2] ?? word.exec(type)?.[1];
}

/** In a type of event in place of an id: any actor that was spawned. */
export const anySpawned = '*';

/** Whether an event can come now: of an actor only where the machine runs it. */
export function canCome(snapshot: AnyMachineSnapshot, type: string): boolean {
  const id = teller(type);
  if (id === undefined) return true;
  if (id === anySpawned) return spawnedIn(snapshot).length > 0;
  return isRunning(actorsOf(snapshot.children)[id]);
}

/** The ids of actors that run, but for those that a state invokes. */
export function spawnedIn({ children, machine }: AnyMachineSnapshot): string[] {
  const running = Object.entries(actorsOf(children)).filter(([, actor]) => isRunning(actor));
  if (running.length === 0) return [];
  const invoked = new Set(invokedBy(machine).map(({ id }) => id));
  return running.map(([id]) => id).filter((id) => !invoked.has(id));
}

function isRunning(actor: AnyActor | undefined): boolean {
  return actor?.getSnapshot().status === 'active';
}

/** The actors of a machine, and how they are: `fetch active, log done`; empty where there is none. */
export function actorsText({ children }: AnyMachineSnapshot): string {
  return Object.entries(actorsOf(children))
    .map(([id, actor]) => `${id} ${actor?.getSnapshot().status ?? 'missing'}`)
    .sort()
    .join(', ');
}

/** Throws where XState could not find out what an actor runs when the machine is restored: it is known by a name alone. */
export function expectNamed({ children }: AnyMachineSnapshot): void {
  for (const [id, actor] of Object.entries(actorsOf(children))) {
    if (typeof actor?.src === 'string') continue;
    throw new Error(
      `what the actor "${id}" runs has no name: setup({ actors: { name: … } }), and spawn it by that name`,
    );
  }
}

/** The machine as it is when it is told that one of its actors has ended; as it was where the event is no such end. */
export function withEnded(snapshot: AnyMachineSnapshot, event: Event): AnyMachineSnapshot {
  const [, status, id] = end.exec(event.type) ?? [];
  const actor = id === undefined ? undefined : actorsOf(snapshot.children)[id];
  if (id === undefined || actor === undefined) return snapshot;
  return { ...snapshot, children: { ...snapshot.children, [id]: ended(actor, { status, ...event }) } };
}

type Ended = Event & { readonly status: string | undefined; readonly output?: unknown; readonly error?: unknown };

interface Keepable {
  getPersistedSnapshot(options: object): object;
}

/** The same actor, over: as it is kept then it is not started again. */
function ended(actor: AnyActor, { status, output, error }: Ended): AnyActor {
  // It has no system id any more.
  const { id, src, logic, _parent: parent } = actor;
  const kept = (actor as unknown as Keepable).getPersistedSnapshot({ __unsafeAllowInlineActors: true });
  return createActor(logic, { id, src, parent, snapshot: { ...kept, status, output, error } } as never);
}

/** XState keeps a name with nothing behind it for what it could not start. */
function actorsOf(children: AnyMachineSnapshot['children']): Readonly<Record<string, AnyActor | undefined>> {
  return children as Readonly<Record<string, AnyActor | undefined>>;
}

const invokedOf = new WeakMap<AnyStateMachine, readonly Invoked[]>();

/** The actors that states of a machine invoke. */
export function invokedBy(machine: AnyStateMachine): readonly Invoked[] {
  const known = invokedOf.get(machine);
  if (known !== undefined) return known;
  const below = (node: AnyStateNode): Invoked[] => [
    ...node.invoke.map(({ id, src }) => ({ id, src: String(src), state: node.path.join('.') })),
    ...Object.values(node.states).flatMap(below),
  ];
  const all = below(machine.root);
  invokedOf.set(machine, all);
  return all;
}
