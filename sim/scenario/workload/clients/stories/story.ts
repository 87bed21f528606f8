/** A story: what a client does in sequence, where one request depends on the answers to those before. */
import type { RandomStream } from '../../../../../src/ports/random.ts';
import type { UnknownDevice } from '../../../../outside/unknown-devices.ts';
import type { Answer } from '../../../run/expectations.ts';
import type { KnownItems } from '../known-items.ts';
import type { MadeRequest } from '../request-maker.ts';

/** A client with one session of a working domain. */
export interface StoryClient {
  readonly random: RandomStream;
  readonly known: KnownItems;
  readonly numbers: readonly string[];
  /** A text that no other request has. */
  tag(): string;
  now(): number;
  pause(ms: number): Promise<void>;
  /** Through any front. */
  send(request: MadeRequest): Promise<Answer | undefined>;
  /** A wrong login from an address, always through the same front. */
  logInWrongly(ip: string): Promise<Answer | undefined>;
  /** A device that the platform does not know wants to register through each gate of phones. */
  registerUnknownDevice(device: Omit<UnknownDevice, 'gate'>): void;
  /** A device that the platform does not know calls a number of the own domain in the name of one of its users. */
  callAs(username: string, number: string, ip: string): void;
  /** A device of a SIP user of the own domain, which registers. `undefined`: there are enough, or no gate has the domain. */
  connect(account: { readonly login: string; readonly pwd: string }): ConnectedDevice | undefined;
}

export interface ConnectedDevice {
  register(): void;
  unregister(): void;
  /** It says nothing any more, and hears nothing. */
  silence(): void;
}

export type Story = (client: StoryClient) => Promise<void>;

export const uc = '/rest/v1/uc';

/** How long a removal may take until all see it. */
const goneMs = 2_500;

/** Removes something, and looks for it again when it must be gone. */
export async function remove(client: StoryClient, { item, list }: { item: string; list: string }): Promise<void> {
  await client.send({ method: 'GET', path: list });
  const removed = await client.send({ method: 'DELETE', path: item });
  if (removed === undefined || removed.status >= 300) return;
  await client.pause(goneMs);
  await client.send({ method: 'GET', path: list });
}

/** A field of the body of a success. */
export function textIn(answer: Answer | undefined, name: string): string | undefined {
  return answer === undefined || answer.status >= 300 ? undefined : textOf(answer.body, name);
}

/** A field, if it is a text. */
export function textOf(value: unknown, name: string): string | undefined {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof found === 'string' ? found : undefined;
}
