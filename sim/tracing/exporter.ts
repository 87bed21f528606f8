/** Traces that are sent to a collector of OpenTelemetry by OTLP over HTTP. This file loads the libraries, so it is loaded when it is used. */
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { RandomStream } from '../../src/ports/random.ts';
import { WorldTracing } from './world-tracing.ts';

interface Origin {
  readonly version: string;
  /** The node of a process that runs one alone. */
  readonly node?: string | undefined;
  /** For the ids of traces and spans. */
  readonly random: RandomStream;
}

export interface TracesOptions extends Origin {
  /** Of the collector: `http://127.0.0.1:4318`, or with the path of its traces. */
  readonly url: string;
  /** Why spans could not be sent. Called once. */
  readonly onFailure: (reason: string) => void;
}

export interface Traces {
  readonly tracing: WorldTracing;
  /** Sends the last spans, as long as that takes at most. */
  end(mostMs: number): Promise<void>;
}

const [exportMs, batchMs] = [5_000, 1_000];
/** For longer than the exporter tries: its own failure is reported, with the reason, and not that it took too long. */
const patienceMs = 3 * exportMs;
/** Spans that wait: a virtual world makes many in no time. */
const queueMax = 100_000;

export function startTraces({ url, onFailure, ...origin }: TracesOptions): Traces {
  const exporter = new OTLPTraceExporter({ url: endpointOf(url), timeoutMillis: exportMs });
  const report = onceOnly(onFailure);
  return tracesTo(reporting(exporter, report), { ...origin, onFailure: report });
}

function onceOnly(report: (reason: string) => void): (reason: string) => void {
  let isReported = false;
  return (reason) => {
    if (!isReported) report(reason);
    isReported = true;
  };
}

/** Spans that cannot be sent are lost, which is reported. */
function reporting(exporter: SpanExporter, onFailure: (reason: string) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        if (code === ExportResultCode.FAILED) onFailure(error?.message ?? 'the collector refused them');
        done({ code: ExportResultCode.SUCCESS });
      }),
    shutdown: () => exporter.shutdown(),
  };
}

interface Destination extends Origin {
  readonly onFailure: (reason: string) => void;
}

/** Traces to any exporter. Spans that it cannot send fail nothing. */
export function tracesTo(exporter: SpanExporter, { version, node, random, onFailure }: Destination): Traces {
  const processor = new BatchSpanProcessor(exporter, {
    scheduledDelayMillis: batchMs,
    exportTimeoutMillis: patienceMs,
    maxQueueSize: queueMax,
  });
  const id = (bytes: number) => () => Buffer.from(random.bytes(bytes)).toString('hex');
  const provider = new BasicTracerProvider({
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({
      'service.name': 'strowger',
      'service.version': version,
      ...(node !== undefined && { 'service.instance.id': node }),
    }),
    idGenerator: { generateTraceId: id(16), generateSpanId: id(8) },
    spanProcessors: [processor],
  });
  const tracing = new WorldTracing(provider.getTracer('strowger', version));
  return {
    tracing,
    end: async (mostMs) => {
      tracing.end();
      const patience = new Promise<void>((resolve) => setTimeout(resolve, mostMs).unref());
      const sent = provider.shutdown().catch((error: unknown) => onFailure(String(error)));
      await Promise.race([sent, patience]);
    },
  };
}

function endpointOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname === '/' ? new URL('/v1/traces', url).href : url;
}
