/** What every HTTP door does, on a socket or in the virtual world. */
import type { ExecutionContext } from 'ava';

export interface DoorUnderTest {
  /** A request that is answered at once. Rejects when nobody lets it in. */
  ask(): Promise<Response>;
  /** Sends a request, does `work` while it is inside, and lets it be answered once that is done. */
  askDuring(work: () => unknown): Promise<Response>;
  close(): Promise<void>;
  slam(): void;
  reopen(): Promise<void>;
  /** The base URL while the door is open. */
  url(): string | undefined;
}

type Declare = (title: string, body: (t: ExecutionContext) => Promise<void>) => void;

export function doorContract(
  test: Declare,
  label: string,
  makeDoor: (t: ExecutionContext) => Promise<DoorUnderTest>,
): void {
  test(`${label}: an open door lets requests in and answers them`, async (t) => {
    const door = await makeDoor(t);
    t.is((await door.ask()).status, 200);
    const [first, second] = await Promise.all([door.ask(), door.ask()]);
    t.deepEqual([first?.status, second?.status], [200, 200]);
    t.is((await door.askDuring(() => {})).status, 200);
  });

  test(`${label}: a door that closes answers who is inside, and lets nobody in`, async (t) => {
    const door = await makeDoor(t);
    const story: string[] = [];
    let closing: Promise<unknown> = Promise.resolve();
    let late: Promise<unknown> = Promise.resolve();
    const answer = await door.askDuring(() => {
      closing = door.close().then(() => story.push('closed'));
      late = t.throwsAsync(door.ask()).then(() => story.push('late one refused'));
      return late;
    });
    t.is(answer.status, 200);
    t.true((await answer.text()).length > 0);
    await Promise.all([closing, late]);
    t.deepEqual(story, ['late one refused', 'closed']);
    await t.throwsAsync(door.ask());
  });

  test(`${label}: a door that is slammed cuts off who is inside, and lets nobody in`, async (t) => {
    const door = await makeDoor(t);
    await t.throwsAsync(door.askDuring(() => door.slam()));
    await t.throwsAsync(door.ask());
  });

  for (const end of ['close', 'slam'] as const) {
    test(`${label}: after a ${end} the door can be opened again at the same place`, async (t) => {
      const door = await makeDoor(t);
      const url = door.url();
      t.regex(url ?? '', /^https?:\/\/[^/]+$/);
      await door[end]();
      await door.reopen();
      t.is(door.url(), url);
      t.is((await door.ask()).status, 200);
    });
  }

  test(`${label}: to end an ended door is harmless`, async (t) => {
    const door = await makeDoor(t);
    await door.close();
    await door.close();
    t.notThrows(() => door.slam());
    await t.throwsAsync(door.ask());
  });
}
