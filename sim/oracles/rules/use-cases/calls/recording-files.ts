/** The files of the recordings of a call that is over. */

import type { QuestionAnswer } from '../../../questions.ts';
import type { OwnCall } from '../kit/call.ts';
import { records } from '../kit/paths.ts';
import { expecting, type Item, type Judge, type UseCase } from '../kit/use-case.ts';
import { differing, exactly, isSame, longTextOf, refusing } from './call-judges.ts';

const headerBytes = 44;
/** 8 kHz, 16 bit, stereo. */
const bytesPerMs = 32;
const lost = refusing(404, 'Call record not found');

export interface Stretch {
  readonly leastMs: number;
  readonly mostMs: number;
}

interface Listed {
  readonly site: string;
  /** How many there are besides. */
  readonly before: number;
  readonly stretches: readonly Stretch[];
  /** Side b is on hold at the end of the last one. */
  readonly isHeld: boolean;
}

interface FileEntry {
  readonly name: string;
  readonly size: number;
  readonly _links?: unknown;
}

export async function listed(
  useCase: UseCase,
  { inviteid }: OwnCall,
  { site, before, stretches, isHeld }: Listed,
): Promise<void> {
  const record = `${records}/${inviteid}`;
  const path = `${record}/attachments`;
  const count = before + stretches.length;
  const isThere = await useCase.everywhere(path, filesOf(site, path, count), useCase.patienceMs);
  await useCase.everywhere(record, expecting(200, { inviteid, recordings: count }), useCase.patienceMs);
  if (!isThere) return;
  const [entry] = ((await useCase.ask(path))?.body ?? []) as { files: FileEntry[] }[];
  const files = (entry?.files ?? []).slice(before);
  for (const [at, { leastMs, mostMs }] of stretches.entries()) {
    const ms = (Number(files[at]?.size) - headerBytes) / bytesPerMs;
    useCase.expect(`the length of recording ${at + 1}`, undefined, () =>
      ms >= leastMs - 5 && ms <= mostMs + 5 ? undefined : `expected ${leastMs} to ${mostMs} ms, got ${ms}`,
    );
  }
  const [one, other] = files;
  if (one === undefined || other === undefined) return;
  await served(useCase, `${path}/${one.name}`, one);
  await sounds(useCase, `${path}/${other.name}`, other, isHeld);
  await useCase.everywhere(`${path}/none.wav`, lost);
  const deleted = exactly(204, undefined);
  useCase.expect(
    'DELETE of a recording',
    await useCase.ask(`${path}/${one.name}`, { method: 'DELETE', site: useCase.there }),
    deleted,
  );
  await useCase.everywhere(`${path}/${one.name}`, lost, useCase.patienceMs);
  await useCase.everywhere(path, filesOf(site, path, count - 1, [other.name], [one.name]), useCase.patienceMs);
  await useCase.everywhere(record, expecting(200, { recordings: count - 1 }), useCase.patienceMs);
  useCase.expect('DELETE of a removed one', await useCase.ask(`${path}/${one.name}`, { method: 'DELETE' }), lost);
  useCase.expect('DELETE of all', await useCase.ask(path, { method: 'DELETE' }), deleted);
  await useCase.everywhere(path, exactly(200, []), useCase.patienceMs);
  await useCase.everywhere(record, expecting(200, { recordings: 0 }), useCase.patienceMs);
}

/** The list has so many files of one site, with their links. */
function filesOf(site: string, path: string, count: number, present: string[] = [], absent: string[] = []): Judge {
  return (answer) => {
    const [entry, more] = (Array.isArray(answer?.body) ? answer.body : []) as { site?: string; files?: FileEntry[] }[];
    const files = entry?.files ?? [];
    const names = new Set(files.map(({ name }) => name));
    const isRight =
      answer?.status === 200 &&
      more === undefined &&
      entry?.site === site &&
      names.size === count &&
      files.length === count &&
      files.every(
        ({ name, _links }) => isSame(_links, { self: { href: `${path}/${name}` } }) && name.endsWith('.wav'),
      ) &&
      present.every((name) => names.has(name)) &&
      !absent.some((name) => names.has(name));
    return isRight ? undefined : `expected ${count} files of ${site}, got ${longTextOf(answer)}`;
  };
}

/** The first bytes of the file, as they arrive as a text. */
function headerOf(size: number): string {
  const header = Buffer.alloc(headerBytes);
  header.write('RIFF    WAVEfmt ', 0, 'latin1');
  header.write('data', 36, 'latin1');
  for (const [at, value] of [
    [4, size - 8],
    [16, 16],
    [24, 8_000],
    [28, 32_000],
    [40, size - headerBytes],
  ] as const)
    header.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 2],
    [32, 4],
    [34, 16],
  ] as const)
    header.writeUInt16LE(value, at);
  return new TextDecoder().decode(header);
}

async function served(useCase: UseCase, path: string, { name, size }: FileEntry): Promise<void> {
  const headersOf = (answer: QuestionAnswer | undefined) => Object.fromEntries(answer?.headers ?? []);
  const expect = (what: string, answer: QuestionAnswer | undefined, status: number, headers: Item) =>
    useCase.expect(what, answer, (given) => differing(headers, given && { ...given, body: headersOf(given) }, status));
  const length = String(size);
  const noCache = (given: QuestionAnswer | undefined) =>
    /no-store/.test(given?.headers.get('cache-control') ?? '')
      ? undefined
      : `cache-control ${given?.headers.get('cache-control')}`;
  for (const site of useCase.sites) {
    const range = (bytes: string) => useCase.ask(path, { site, headers: { range: `bytes=${bytes}` } });
    const head = await range(`0-${headerBytes - 1}`);
    expect(`its header at ${site}`, head, 206, { 'content-range': `bytes 0-43/${length}`, 'content-length': '44' });
    useCase.expect(`its header at ${site}`, head, (given) =>
      given?.body === headerOf(size) ? undefined : 'it is another',
    );
    expect('HEAD', await useCase.ask(path, { site, method: 'HEAD' }), 200, { 'content-length': length });
    expect('its end', await range('-4'), 206, { 'content-range': `bytes ${size - 4}-${size - 1}/${length}` });
    expect('behind its end', await range(`${size}-`), 416, { 'content-range': `bytes */${length}` });
  }
  const whole = await useCase.ask(path, { site: useCase.there });
  expect('the whole', whole, 200, { 'content-length': length });
  useCase.expect('its type', whole, (given) => {
    const type = given?.headers.get('content-type') ?? '';
    return /^audio\/(x-|vnd\.)?wave?$/.test(type) && !given?.headers.has('content-disposition')
      ? undefined
      : `content-type ${type}`;
  });
  const etag = whole?.headers.get('etag');
  if (typeof etag === 'string')
    expect('If-None-Match', await useCase.ask(path, { headers: { 'if-none-match': etag } }), 304, {});
  const saved = await useCase.ask(`${path}?attachment=true`);
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
  const asFile = {
    'content-type': 'application/octet-stream',
    'content-disposition': disposition,
    'content-length': length,
  };
  expect('attachment=true', saved, 200, asFile);
  useCase.expect('attachment=true', saved, noCache);
  const shown = await useCase.ask(`${path}?attachment=false`, { method: 'HEAD' });
  expect('attachment=false', shown, 200, { 'content-type': whole?.headers.get('content-type') });
  useCase.expect('attachment=maybe', await useCase.ask(`${path}?attachment=maybe`), refusing(400));
}

/**
 * Left is side a, which puts the call on hold; right is side b, which is on hold then.
 * The crests of both tones are at the frames 5 and 4 of their waves.
 */
async function sounds(useCase: UseCase, path: string, { size }: FileEntry, isHeld: boolean): Promise<void> {
  const last = Math.floor((size - headerBytes) / 4) - 800;
  for (const [what, frame, offset, isSilent] of [
    ['side a', 805, 0, false],
    ['side b', 804, 2, false],
    ['side b at the end', last - (last % 80) + 4, 2, isHeld],
  ] as const) {
    const from = headerBytes + 4 * frame + offset;
    const answer = await useCase.ask(path, { headers: { range: `bytes=${from}-${from + 1}` } });
    useCase.expect(what, answer, (given) => {
      if (given?.status !== 206) return `expected 206, got ${given?.status}`;
      return (given.body === '\0\0') === isSilent ? undefined : `it is ${isSilent ? 'heard' : 'silent'}`;
    });
  }
}
