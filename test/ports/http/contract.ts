/** The behaviour of every HTTP server, on a socket or in the virtual world. */
import type { ExecutionContext } from 'ava';

export interface ServerUnderTest {
  /** A request that is answered at once. Rejects when the server does not accept it. */
  ask(): Promise<Response>;
  /** Sends a request, does `work` while it is inside, and lets it be answered once that is done. */
  askDuring(work: () => unknown): Promise<Response>;
  close(): Promise<void>;
  abort(): void;
  reopen(): Promise<void>;
  /** The base URL while the server is open. */
  url(): string | undefined;
}

type Declare = (title: string, body: (t: ExecutionContext) => Promise<void>) => void;

export function httpServerContract(
  test: Declare,
  label: string,
  makeServer: (t: ExecutionContext) => Promise<ServerUnderTest>,
): void {
  test(`${label}: an open server accepts and answers requests`, async (t) => {
    const server = await makeServer(t);
    t.is((await server.ask()).status, 200);
    const [first, second] = await Promise.all([server.ask(), server.ask()]);
    t.deepEqual([first?.status, second?.status], [200, 200]);
    t.is((await server.askDuring(() => {})).status, 200);
  });

  test(`${label}: a closing server answers requests under way, and accepts no new ones`, async (t) => {
    const server = await makeServer(t);
    const story: string[] = [];
    let closing: Promise<unknown> = Promise.resolve();
    let late: Promise<unknown> = Promise.resolve();
    const answer = await server.askDuring(() => {
      closing = server.close().then(() => story.push('closed'));
      late = t.throwsAsync(server.ask()).then(() => story.push('late one refused'));
      return late;
    });
    t.is(answer.status, 200);
    t.true((await answer.text()).length > 0);
    await Promise.all([closing, late]);
    t.deepEqual(story, ['late one refused', 'closed']);
    await t.throwsAsync(server.ask());
  });

  test(`${label}: an aborted server drops requests under way, and accepts no new ones`, async (t) => {
    const server = await makeServer(t);
    await t.throwsAsync(server.askDuring(() => server.abort()));
    await t.throwsAsync(server.ask());
  });

  for (const end of ['close', 'abort'] as const) {
    test(`${label}: after a ${end} the server can be opened again at the same address`, async (t) => {
      const server = await makeServer(t);
      const url = server.url();
      t.regex(url ?? '', /^https?:\/\/[^/]+$/);
      await server[end]();
      await server.reopen();
      t.is(server.url(), url);
      t.is((await server.ask()).status, 200);
    });
  }

  test(`${label}: closing or aborting a server twice has no effect`, async (t) => {
    const server = await makeServer(t);
    await server.close();
    await server.close();
    t.notThrows(() => server.abort());
    await t.throwsAsync(server.ask());
  });
}
