/** A client of files at the fronts of a virtual cluster: requests and answers as bytes. */
import type { ExecutionContext } from 'ava';
import { acmeAdmin, type Credentials, type FrontCluster } from '../front.ts';

export const parking = '/rest/v1/fs/targets/parking';

export interface Sent {
  readonly at?: string;
  readonly token?: string;
  readonly body?: RequestInit['body'];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
}

export class FileClient {
  readonly token: string;
  readonly #cluster: FrontCluster;

  private constructor(cluster: FrontCluster, token: string) {
    this.#cluster = cluster;
    this.token = token;
  }

  static async open(cluster: FrontCluster, who: Credentials = acmeAdmin): Promise<FileClient> {
    return new FileClient(cluster, await cluster.token(who));
  }

  /** Sends `METHOD /path?query`; a path that begins with `./` is one below parking. */
  async ask(
    line: string,
    { at = this.#cluster.home, token = this.token, body, headers = {} }: Sent = {},
  ): Promise<Got> {
    const [method = '', target = ''] = line.split(/ (.*)/s);
    const path = target.startsWith('.') ? `${parking}${target.slice(1)}` : target;
    const stream = body instanceof ReadableStream ? { duplex: 'half' as const } : {};
    const init = { method, headers: { authorization: `Bearer ${token}`, ...headers }, ...stream };
    const request = new Request(`http://${at}${path}`, body === undefined ? init : { ...init, body: body as never });
    // A text brings a content type of its own along.
    if (typeof body === 'string' && headers['content-type'] === undefined) request.headers.delete('content-type');
    const response = await this.#cluster.world.request(at, request);
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
  }

  /** Makes or replaces a parking file. */
  async put(name: string, body: string | Uint8Array, sent: Sent = {}): Promise<string> {
    const { status, text, headers } = await this.ask(`PUT ./${encodeURIComponent(name)}`, {
      ...sent,
      body: body as never,
    });
    if (status !== 200) throw new Error(`PUT gave ${status} ${text}`);
    return headers.get('etag') ?? '';
  }

  /** The names of the parking files, as a list shows them. */
  async names(at?: string): Promise<string[]> {
    const { status, text } = await this.ask('GET .', at === undefined ? {} : { at });
    if (status !== 200) throw new Error(`GET gave ${status} ${text}`);
    return (JSON.parse(text) as { name: string }[]).map(({ name }) => name);
  }
}

/** A form of files. */
export function formOf(...files: readonly (readonly [name: string, content: string | Uint8Array])[]): FormData {
  const form = new FormData();
  for (const [name, content] of files) form.append('file', new Blob([content as never]), name);
  return form;
}

/** Bytes that differ from place to place. */
export function bytesOf(count: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(count);
  for (let i = 0, state = seed; i < count; i += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = state >>> 16;
  }
  return bytes;
}

/** Holds an answer against the error shape of the interface. */
export function refusedFile(t: ExecutionContext, { status, text }: Got, wanted: number, message = /./): void {
  t.is(status, wanted, text);
  const { error_code, error_message } = JSON.parse(text) as { error_code: number; error_message: string };
  t.is(error_code, 1_000 + wanted);
  t.regex(error_message, message);
}
