/** A collector of OpenTelemetry, which ends with its owner. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Owner } from '../topology/edits.ts';

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: object }[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** A span with the attributes of the process that has sent it. */
export interface CollectedSpan extends SentSpan {
  readonly resource: Readonly<Record<string, object>>;
}

export interface Collector {
  readonly url: string;
  /** The paths that were requested. */
  readonly paths: ReadonlySet<string>;
  readonly spans: readonly CollectedSpan[];
}

export async function startCollector(t: Owner): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const paths = new Set<string>();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.once('end', () => {
      paths.add(request.url ?? '');
      spans.push(...spansOf(JSON.parse(text) as Sent));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths, spans };
}

function spansOf({ resourceSpans }: Sent): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource: { attributes }, scopeSpans }) => {
    const resource = Object.fromEntries(attributes.map(({ key, value }) => [key, value]));
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, resource })));
  });
}
