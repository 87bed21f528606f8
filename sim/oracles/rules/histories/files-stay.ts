/** The history of each file: what clients wrote, and what they read. */
import { jsonOr } from '../../../../src/model/json.ts';
import { checkLinearizable } from '../../../histories/linearizable.ts';
import type { Operation, SequentialModel } from '../../../histories/operation.ts';
import type { OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';

const folder = '/rest/v1/fs/targets/parking';

type Content = string | undefined;
type Output = { readonly content: Content } | 'done' | 'refused';

interface Input {
  readonly type: 'read' | 'write' | 'make' | 'remove';
  readonly content: Content;
  /** Only where the file has this content (`If-Match`). */
  readonly expected?: Content;
}

type State = 'unknown' | { readonly content: Content };

/** `make`: only where there is no file; `content` absent: no file. */
const fileModel: SequentialModel<State, Input, Output> = {
  initial: 'unknown',
  step: (state, { type, content, expected }, output) => {
    if (type === 'read') return readStep(state, output);
    if (expected !== undefined && state !== 'unknown' && state.content !== expected)
      return output === 'done' ? undefined : state;
    if (expected !== undefined && output === 'refused') return state === 'unknown' ? state : undefined;
    if (output === 'refused') return state === 'unknown' || hasFile(state) === (type === 'make') ? state : undefined;
    if (type === 'make' && state !== 'unknown' && hasFile(state)) return output === undefined ? state : undefined;
    if (type === 'remove' && output === 'done' && state !== 'unknown' && !hasFile(state)) return undefined;
    return { content: type === 'remove' ? undefined : content };
  },
  isRead: ({ type }) => type === 'read',
  keyOf: (state) => (state === 'unknown' ? state : JSON.stringify(state)),
};

function hasFile(state: State): boolean {
  return state !== 'unknown' && state.content !== undefined;
}

function readStep(state: State, output: Output | undefined): State | undefined {
  if (output === undefined || typeof output === 'string') return state;
  return state === 'unknown' || state.content === output.content ? { content: output.content } : undefined;
}

interface FileHistory {
  readonly name: string;
  /** What the file had, by the ETag that was read with it. */
  readonly contents: Map<string, string>;
  /** A condition named an ETag that was never read. */
  isUnsure: boolean;
  readonly operations: Operation<Input, Output>[];
  readonly written: Set<string>;
  /** Contents that copies have served. */
  readonly copied: { readonly site: string; readonly content: string }[];
}

const types: Readonly<Record<string, Input['type']>> = { GET: 'read', PUT: 'write', POST: 'make', DELETE: 'remove' };

export const filesStay: OracleMaker = {
  name: 'files-stay',
  rule: 'What all clients write and read of a parking file is one sequence of changes: a read returns the bytes that were written last; a change with `If-Match` is made only where the file has that content, so that of two at once one is refused; a copy returns bytes that were written.',
  make: ({ check, fail }) => {
    const histories = new Map<string, FileHistory>();
    const requests = new ClientRequests(
      (method, path) => method in types && path.startsWith(folder),
      (request, answer) => answered(request, answer),
      (request) => note(request),
    );
    const note = (request: ObservedRequest, answer?: ObservedAnswer) => {
      const type = types[request.method];
      if (type === undefined || request.domain === undefined || !request.path.startsWith(folder)) return;
      const files = filesIn(request);
      for (const [index, { name, content }] of files.entries()) {
        const history = historyOf(`${request.domain} ${name}`);
        if (content !== undefined) history.written.add(content);
        const { site, client, calledAt } = request;
        const earlier = files.slice(0, index).filter((file) => file.name === name).length;
        const isSaved = type !== 'make' || answer === undefined || isAmongSaved(answer, name, earlier);
        const output = isSaved ? answer && outputOf(type, answer) : 'refused';
        const isRead = type === 'read';
        if (isRead && answer?.etag !== undefined && answer.text !== undefined)
          history.contents.set(answer.etag, answer.text);
        const expected = request.ifMatch === undefined ? undefined : history.contents.get(request.ifMatch);
        if (request.ifMatch !== undefined && expected === undefined) history.isUnsure = true;
        if (answer?.ageS !== undefined && isRead) {
          if (answer.status === 200 && answer.text !== undefined) history.copied.push({ site, content: answer.text });
          continue;
        }
        if (isRead && output === undefined) continue;
        const returnedAt = answer?.returnedAt ?? Number.POSITIVE_INFINITY;
        history.operations.push({
          client,
          calledAt,
          returnedAt,
          input: { type, content, ...(expected !== undefined && { expected }) },
          output,
        });
      }
    };
    const answered = (request: ObservedRequest, answer: ObservedAnswer) => {
      const { status } = answer;
      const { method, query } = request;
      // A part of the file, or an answer without effect.
      const isWhole =
        status === 200 || status === 204 || status === 404 || status === 412 || (status === 409 && method === 'POST');
      if (isWhole && query.size === 0) note(request, answer);
    };
    const historyOf = (name: string): FileHistory => {
      const history = histories.get(name) ?? {
        name,
        operations: [],
        written: new Set(),
        copied: [],
        contents: new Map(),
        isUnsure: false,
      };
      histories.set(name, history);
      return history;
    };
    const judge = ({ name, operations, written, copied, isUnsure }: FileHistory) => {
      check(operations.length);
      const isOwn = operations.every(({ input: { type }, output }) => type !== 'read' || typeof output !== 'string');
      if (isOwn && !isUnsure && checkLinearizable(operations, fileModel).verdict === 'fail')
        fail(`no order of the changes of file ${name} explains what was read of it`);
      if (written.size === 0) return;
      for (const { site, content } of copied)
        if (!written.has(content)) fail(`${site} returned bytes of file ${name} that were never written`);
    };
    return {
      listeners: requests.listeners,
      atQuiescence: () => {
        for (const request of requests.open) note(request);
        for (const history of histories.values()) judge(history);
      },
    };
  },
};

function outputOf(type: Input['type'], { status, text }: ObservedAnswer): Output {
  if (type === 'read') return { content: status === 404 ? undefined : (text ?? '') };
  return status === 404 || status === 409 || status === 412 ? 'refused' : 'done';
}

/** Of a form that was taken, each file is saved or refused. `earlier`: files of the form with this name before it. */
function isAmongSaved({ status, text }: ObservedAnswer, name: string, earlier: number): boolean {
  if (status !== 200) return true;
  const { saved } = jsonOr(text ?? '', {}) as { readonly saved?: readonly { readonly name: string }[] };
  return saved === undefined || saved.filter((file) => file.name === name).length > earlier;
}

/** The files that a request names, with the bytes that it writes. */
function filesIn({ method, path, sentText = '' }: ObservedRequest): { name: string; content: Content }[] {
  const name = decodeURIComponent(path.slice(folder.length + 1));
  if (method === 'POST') return partsOf(sentText);
  if (name === '') return [];
  if (method !== 'PUT') return [{ name, content: undefined }];
  return [{ name, content: partsOf(sentText)[0]?.content ?? sentText }];
}

/** The files of a form. */
function partsOf(form: string): { name: string; content: string }[] {
  if (!form.startsWith('--')) return [];
  const boundary = form.slice(0, form.indexOf('\r\n'));
  return form.split(boundary).flatMap((part) => {
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const name = /filename="([^"]*)"/.exec(head)?.[1];
    return name === undefined ? [] : [{ name, content: rest.join('\r\n\r\n').replace(/\r\n$/, '') }];
  });
}
