/**
 * The actors that a machine invokes or spawns. They do not run: the check sends their events and ends to the machine.
 * An actor sends events only while it runs, and ends once.
 */
import { type AnyActor, type AnyMachineSnapshot, type AnyStateMachine, type AnyStateNode, createActor } from 'xstate';
import type { Event } from './moment.ts';

export interface Invoked {
  readonly id: string;
  /** The name of the actor logic; for inline logic the one that XState generates. */
  readonly src: string;
  /** Path of the state that invokes it. */
  readonly state: string;
}

const end = /^xstate\.(done|error)\.actor\.(.+)$/;
const word = /^xstate\.snapshot\.(.+)$/;

/** The id of the actor that sends an event of this type; `undefined`: it is no event of an actor. */
export function actorOf(type: string): string | undefined {
  if (!type.startsWith('xstate.')) return undefined;
  return end.exec(type)?.[2] ?? word.exec(type)?.[1];
}

/** In a type of event in place of an id: any spawned actor. */
export const anySpawned = '*';

/** Whether an event is possible now: an event of an actor only while the actor runs. */
export function canCome(snapshot: AnyMachineSnapshot, type: string): boolean {
  const id = actorOf(type);
  if (id === undefined) return true;
  if (id === anySpawned) return spawnedIn(snapshot).length > 0;
  return isRunning(actorsOf(snapshot.children)[id]);
}

/** The ids of running spawned actors. */
export function spawnedIn({ children, machine }: AnyMachineSnapshot): string[] {
  const running = Object.entries(actorsOf(children)).filter(([, actor]) => isRunning(actor));
  if (running.length === 0) return [];
  const invoked = new Set(invokedBy(machine).map(({ id }) => id));
  return running.map(([id]) => id).filter((id) => !invoked.has(id));
}

function isRunning(actor: AnyActor | undefined): boolean {
  return actor?.getSnapshot().status === 'active';
}

/** The actors of a machine and their status: `fetch active, log done`; empty without actors. */
export function actorsText({ children }: AnyMachineSnapshot): string {
  return Object.entries(actorsOf(children))
    .map(([id, actor]) => `${id} ${actor?.getSnapshot().status ?? 'missing'}`)
    .sort()
    .join(', ');
}

/** Throws if XState could not find the logic of an actor at a restore: it is looked up by name. */
export function expectNamed({ children }: AnyMachineSnapshot): void {
  for (const [id, actor] of Object.entries(actorsOf(children))) {
    if (typeof actor?.src === 'string') continue;
    throw new Error(
      `what the actor "${id}" runs has no name: setup({ actors: { name: … } }), and spawn it by that name`,
    );
  }
}

/** The machine after the end of one of its actors; unchanged if the event is no such end. */
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

/** The same actor, ended: saved so, it is not started again. */
function ended(actor: AnyActor, { status, output, error }: Ended): AnyActor {
  // It has no system id any more.
  const { id, src, logic, _parent: parent } = actor;
  const kept = (actor as unknown as Keepable).getPersistedSnapshot({ __unsafeAllowInlineActors: true });
  return createActor(logic, { id, src, parent, snapshot: { ...kept, status, output, error } } as never);
}

/** For an actor that could not start XState keeps a name without a value. */
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
