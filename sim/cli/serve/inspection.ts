/** `--inspect FILE`: XState's inspection events of every node, as JSON lines. */
import { createWriteStream, openSync } from 'node:fs';
import type { InspectNode } from '../../world/cluster.ts';

type InspectionEvent = Parameters<InspectNode>[1];

/**
 * One line of JSON without its line end: `atMs`, `node`, `actor` (its system id), and by `kind`
 * - `actor`: the actor was created;
 * - `event`: it received `event` (the type) from the actor `from`, where that is known;
 * - `state`: it is in `status` and, of a chart, in `state` after `event`.
 * `undefined` for inspection events that say no more than these.
 */
export function inspectionLine(atMs: number, node: string, event: InspectionEvent): string | undefined {
  const common = { atMs, node, actor: nameOf(event.actorRef) };
  if (event.type === '@xstate.actor') return JSON.stringify({ ...common, kind: 'actor' });
  if (event.type === '@xstate.event') {
    const from = event.sourceRef === undefined ? {} : { from: nameOf(event.sourceRef) };
    return JSON.stringify({ ...common, kind: 'event', event: event.event.type, ...from });
  }
  if (event.type !== '@xstate.snapshot') return undefined;
  const { status, value } = event.snapshot as { readonly status: string; readonly value?: unknown };
  const state = value === undefined ? {} : { state: value };
  return JSON.stringify({ ...common, kind: 'state', status, ...state, event: event.event.type });
}

function nameOf(actor: object): string {
  const { systemId, id } = actor as { readonly systemId?: string; readonly id: string };
  return systemId ?? id;
}

/** Limit of unwritten inspection events; further ones are dropped and counted in a `gap` line. */
const inspectionBufferBytes = 16 * 1024 * 1024;

/** Opens the file at once, so that a path that cannot be written ends the command before the cluster starts. */
export function inspectionFile(path: string): { readonly write: InspectNode; end(): void } {
  const file = createWriteStream(path, { fd: openForAppending(path) });
  let dropped = 0;
  let isBroken = false;
  file.on('error', ({ message }) => {
    if (!isBroken) process.stderr.write(`strowger: --inspect ${path}: ${message}; no more events are written\n`);
    isBroken = true;
  });
  const writeGap = () => {
    if (dropped > 0) file.write(`${JSON.stringify({ atMs: Date.now(), kind: 'gap', dropped })}\n`);
    dropped = 0;
  };
  return {
    write: (node, event) => {
      if (isBroken || file.writableEnded) return;
      const line = inspectionLine(Date.now(), node, event);
      if (line === undefined) return;
      if (file.writableLength > inspectionBufferBytes) {
        dropped += 1;
        return;
      }
      writeGap();
      file.write(`${line}\n`);
    },
    end: () => {
      if (isBroken) return;
      writeGap();
      file.end();
    },
  };
}

function openForAppending(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (error) {
    throw new Error(`--inspect ${path}: the file cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}
