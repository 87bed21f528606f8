/**
 * The traces of a world: of each request at a front through the role instances, and of each call. Times are those of the world. The
 * trace of an envelope crosses nodes in its `trace` field, in the form of `traceparent` of W3C Trace Context.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import type { Envelope } from '../../src/model/cluster/envelope.ts';
import type { SipMessage } from '../../src/model/sip/message.ts';
import type { HttpHandler } from '../../src/ports/http-server.ts';
import type { Tracing } from '../../src/ports/instrumentation/tracing.ts';
import type { Outside } from '../../src/ports/outside.ts';
import type { ObservationOf } from '../observation/observation.ts';
import type { Observers } from '../observation/observers.ts';

type Attributes = Readonly<Record<string, string | number>>;

interface Begun {
  readonly kind: SpanKind;
  /** `undefined`: it begins a trace. */
  readonly parent: Context | undefined;
  readonly attributes: Attributes;
}

/** Limit of the calls whose trace is known; beyond it the oldest is forgotten. */
const callsMax = 10_000;
const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** Where an encoded envelope has its trace. */
const inFrame = /,"trace":"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}"(?=[,}])/;

export class WorldTracing implements Tracing {
  readonly #tracer: Tracer;
  readonly #active = new AsyncLocalStorage<Context | undefined>();
  /** Asks without an answer yet, by the id of the envelope. */
  readonly #asks = new Map<string, Span>();
  /** Calls of b2b instances, by dialogid. */
  readonly #dialogs = new Map<string, Span>();
  /** The trace of each call of the world outside, by Call-Id. */
  readonly #calls = new Map<string, Context>();
  #now: () => number = () => 0;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Takes the time and the ends of asks and calls from a world, in place of the one before. */
  attach(now: () => number, observers: Observers): void {
    this.#now = now;
    observers.wrapFront = (instance, handler) => this.#front(instance, handler);
    observers.add<'ask.ended'>((ended) => this.#onAsk(ended), { kinds: ['ask.ended'] });
    observers.add<'entity.state'>((entity) => this.#onDialog(entity), { kinds: ['entity.state'], types: ['dialog'] });
  }

  /** Nothing is traced after it. While one storage is in use, Node 20 follows every promise of the process. */
  end(): void {
    this.#active.disable();
  }

  sent(envelope: Envelope): Envelope {
    const parent = this.#active.getStore();
    const { id, kind, type, from, to } = envelope;
    if (parent === undefined || kind === 'reply' || kind === 'fault') return envelope;
    if (kind === 'tell') return withTrace(envelope, parent);
    const attributes = { 'strowger.envelope.id': id, 'strowger.from': from, 'strowger.to': to };
    const span = this.#begin(`ask ${type}`, { kind: SpanKind.CLIENT, parent, attributes });
    this.#asks.set(id, span);
    return withTrace(envelope, contextOf(span));
  }

  /** A frame without its trace: tracing does not change what a journal has of it. */
  untraced(frame: string): string {
    return frame.replace(inFrame, '');
  }

  handled<T>(envelope: Envelope, work: () => T): T {
    const parent = contextIn(envelope.trace);
    if (parent === undefined) return this.#active.run(undefined, work);
    const { id, kind, type, from, to } = envelope;
    const span = this.#begin(type, {
      kind: kind === 'ask' ? SpanKind.SERVER : SpanKind.CONSUMER,
      parent,
      attributes: { 'strowger.envelope.id': id, 'strowger.from': from, 'strowger.to': to },
    });
    return this.#within(span, work);
  }

  /** The handler of a front: each request is a span, of the client's trace if it has sent `traceparent`. */
  #front(instance: InstanceEntry, handler: HttpHandler): HttpHandler {
    return (request, sender, header, ...rest) => {
      const { pathname } = new URL(request.url);
      const span = this.#begin(`${request.method} ${pathname}`, {
        kind: SpanKind.SERVER,
        parent: contextIn(header('traceparent') ?? undefined),
        attributes: {
          'http.request.method': request.method,
          'url.path': pathname,
          'strowger.instance': instance.address,
        },
      });
      return this.#within(
        span,
        () => handler(request, sender, header, ...rest),
        ({ status }) => {
          span.setAttribute('http.response.status_code', status);
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        },
      );
    };
  }

  /** The network outside, seen by the edges of a node: a message belongs to the trace of its call. */
  outside(outside: Outside): Outside {
    return {
      attach: (endpoint, received) => {
        const line = outside.attach(endpoint, (message, from) =>
          this.#received(endpoint, message, () => received(message, from)),
        );
        return {
          send: (to, message) => {
            this.#sentOutside(to, message);
            line.send(to, message);
          },
          detach: () => line.detach(),
        };
      },
    };
  }

  #received(endpoint: string, message: SipMessage, work: () => void): void {
    const known = this.#calls.get(message.callid);
    const isCall = message.kind === 'request' && message.method === 'INVITE';
    if (known === undefined && !isCall) return this.#active.run(undefined, work);
    const span = this.#begin(nameOf(message), {
      kind: SpanKind.SERVER,
      parent: known,
      attributes: { 'sip.call_id': message.callid, 'strowger.endpoint': endpoint },
    });
    if (known === undefined) this.#keep(message.callid, contextOf(span));
    this.#within(span, work);
  }

  /** A call that the platform begins belongs to the trace in which it does so. */
  #sentOutside(to: string, message: SipMessage): void {
    const active = this.#active.getStore();
    if (active === undefined) return;
    trace.getSpan(active)?.addEvent(nameOf(message), { 'sip.call_id': message.callid, 'strowger.to': to }, this.#time);
    if (!this.#calls.has(message.callid)) this.#keep(message.callid, active);
  }

  #keep(callid: string, context: Context): void {
    this.#calls.set(callid, context);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > callsMax && oldest !== undefined) this.#calls.delete(oldest);
  }

  #onAsk({ ask: { id }, fault }: ObservationOf<'ask.ended'>): void {
    const span = this.#asks.get(id);
    if (span === undefined) return;
    this.#asks.delete(id);
    if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: fault.code });
    span.end(this.#time);
  }

  /** A call is a span from its first to its last state; its states are events. */
  #onDialog({ owner, key, state, before }: ObservationOf<'entity.state'>): void {
    const known = this.#dialogs.get(key);
    const parent = this.#active.getStore();
    if (state === undefined) {
      this.#dialogs.delete(key);
      known?.end(this.#time);
    } else if (known !== undefined) {
      if (state !== before) known.addEvent(state, {}, this.#time);
    } else if (parent !== undefined && before === undefined) {
      const attributes = { 'strowger.dialogid': key, 'strowger.instance': owner };
      this.#dialogs.set(key, this.#begin('call', { kind: SpanKind.INTERNAL, parent, attributes }));
    }
  }

  #begin(name: string, { kind, parent = ROOT_CONTEXT, attributes }: Begun): Span {
    return this.#tracer.startSpan(name, { kind, attributes, startTime: this.#time }, parent);
  }

  /** Runs work with a span active, and ends the span with it. The outcome is returned as it is, so that nothing runs later. */
  #within<T>(span: Span, work: () => T, onResult: (result: Awaited<T>) => void = () => {}): T {
    const end = (result: Awaited<T>) => {
      onResult(result);
      span.end(this.#time);
    };
    const fail = (error: unknown) => {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
      span.end(this.#time);
    };
    try {
      const outcome = this.#active.run(contextOf(span), work);
      if (outcome instanceof Promise) outcome.then(end, fail);
      else end(outcome as Awaited<T>);
      return outcome;
    } catch (error) {
      fail(error);
      throw error;
    }
  }

  /** Seconds and nanoseconds: of a number the library could think that it is a time since the start of the process. */
  get #time(): [seconds: number, nanoseconds: number] {
    const nowMs = this.#now();
    return [Math.floor(nowMs / 1_000), Math.round((nowMs % 1_000) * 1_000_000)];
  }
}

function nameOf(message: SipMessage): string {
  return message.kind === 'request' ? `SIP ${message.method}` : `SIP ${message.status} ${message.method}`;
}

function contextOf(span: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, span);
}

function withTrace(envelope: Envelope, context: Context): Envelope {
  const place = trace.getSpanContext(context);
  if (place === undefined) return envelope;
  return {
    ...envelope,
    trace: `00-${place.traceId}-${place.spanId}-${place.traceFlags.toString(16).padStart(2, '0')}`,
  };
}

/** The place that a text names; `undefined` for any other text, which a client may send. */
function contextIn(traceparent: string | undefined): Context | undefined {
  const [, traceId = '', spanId = '', flags = ''] = form.exec(traceparent ?? '') ?? [];
  if (traceId === '' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const place = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, place);
}
