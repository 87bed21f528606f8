/** A file is served whole, in parts, and by its validators. */
import type { OracleContext, OracleMaker } from '../../oracle.ts';
import type { OracleRequest, QuestionAnswer } from '../../questions.ts';

const folder = '/rest/v1/fs/targets/parking';
/** Clients of the workload may have got the usual address banned. */
const sender = '10.6.0.3';
const content = 'abcdefghij';
const boundary = 'form-of-files-served';

export const filesServed: OracleMaker = {
  name: 'files-served',
  rule: 'In a quiescent cluster a file that was written is served whole and in the ranges that are asked for, with its size, and not again to a client that has it; a change that expects another content is refused and changes nothing, as is a POST where there is a file; of two POSTs of one name at once, one is refused; a file that was removed is gone.',
  make: (context) => ({
    atQuiescence: async () => {
      const { questions, map, stableMs } = context;
      const domains = questions.domains.filter((name) => name !== map.masterDomain);
      for (const [index, domain] of domains.entries()) {
        const site = questions.sites[index % questions.sites.length];
        if (site === undefined || stableMs() === 0) return;
        await judge(context, site, domain);
      }
    },
  }),
};

async function judge({ questions, stableMs, check, fail }: OracleContext, site: string, domain: string): Promise<void> {
  const problems: string[] = [];
  const path = `${folder}/files-served.wav`;
  const ask = (request: Omit<OracleRequest, 'site' | 'domain' | 'path'> & { path?: string }) =>
    questions.ask({ site, domain, path, sender, ...request });
  const expect = (what: string, answer: QuestionAnswer | undefined, status: number, fields: Fields = {}) => {
    check();
    const got: Fields = { ...Object.fromEntries(answer?.headers ?? []), body: String(answer?.body ?? '') };
    const wrong = Object.entries(fields).find(([name, value]) => got[name] !== value);
    if (answer?.status !== status) problems.push(`${what}: expected ${status}, got ${answer?.status}`);
    else if (wrong !== undefined) problems.push(`${what}: expected ${wrong[0]} ${wrong[1]}, got ${got[wrong[0]]}`);
  };
  const inRange = async (range: string, part: string, from: number) => {
    const answer = await ask({ headers: { range: `bytes=${range}` } });
    const to = from + part.length - 1;
    expect(`range ${range}`, answer, 206, { body: part, 'content-range': `bytes ${from}-${to}/${content.length}` });
  };
  const written = await ask({ method: 'PUT', bytes: { type: 'audio/wav', text: content } });
  // Its disk may be full, or the domain may have as many files as it can.
  if (written === undefined || written.status >= 300) return;
  const whole = await ask({});
  expect('the whole', whole, 200, { body: content });
  const etag = whole?.headers.get('etag') ?? '';
  await inRange('0-0', 'a', 0);
  await inRange('2-4', 'cde', 2);
  await inRange('7-', 'hij', 7);
  await inRange('-3', 'hij', 7);
  expect('a range behind the end', await ask({ headers: { range: 'bytes=10-' } }), 416);
  expect('HEAD', await ask({ method: 'HEAD' }), 200, { 'content-length': String(content.length) });
  expect('If-None-Match', await ask({ headers: { 'if-none-match': etag } }), 304, { body: '' });
  const ifOther = { 'if-match': '"other"' };
  const bytes = { type: 'audio/wav', text: 'another' };
  expect('PUT with If-Match of another', await ask({ method: 'PUT', bytes, headers: ifOther }), 412);
  expect('DELETE with If-Match of another', await ask({ method: 'DELETE', headers: ifOther }), 412);
  expect('POST where there is one', await ask({ ...form('files-served.wav', 'another'), path: folder }), 409);
  expect('after refused changes', await ask({}), 200, { body: content });
  expect('DELETE with its If-Match', await ask({ method: 'DELETE', headers: { 'if-match': etag } }), 204);
  expect('after its removal', await ask({}), 404);
  await twice();
  if (stableMs() === 0) return;
  for (const problem of problems) fail(`quiescent: a parking file of ${domain} at ${site}: ${problem}`);

  async function twice(): Promise<void> {
    const texts = ['one', 'other'];
    const answers = await Promise.all(texts.map((text) => ask({ ...form('files-served.wav', text), path: folder })));
    const taken = texts.filter((_, index) => Number(answers[index]?.status) < 300);
    if (taken.length !== 1) problems.push(`of two POSTs at once ${taken.length} were taken`);
    else expect('after two POSTs at once', await ask({}), 200, { body: taken[0] as string });
    await ask({ method: 'DELETE' });
  }
}

type Fields = Readonly<Record<string, string>>;

function form(name: string, text: string): Pick<OracleRequest, 'method' | 'bytes'> {
  const head = `Content-Disposition: form-data; name="f"; filename="${name}"`;
  const body = `--${boundary}\r\n${head}\r\n\r\n${text}\r\n--${boundary}--\r\n`;
  return { method: 'POST', bytes: { type: `multipart/form-data; boundary=${boundary}`, text: body } };
}
