/** What the participants of a conference hear of others that play a file, such as IVR scripts. */
import { scriptLimitsOf } from '../../../../../src/model/script/script-settings.ts';
import { over } from '../calls/call-judges.ts';
import { directedUsers, endedMs, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, ivrScripts, parking } from '../kit/paths.ts';
import { expecting, type Item, itemsOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { foundBy, type OpenConference, openConference, roomNumberOf } from './rooms.ts';

/** Digits of the room: other rooms are those of clients. */
const room = '83';
const name = 'conferences-heard';
const files = [`${name}-1.wav`, `${name}-2.wav`] as const;
const pollMs = 100;
const briefSec = 4;
/** A script that plays on, with each file, and one that stops, and stays. */
const [ofFirst, ofSecond, ofBrief] = ['7790281', '7790282', '7790283'] as const;
const scripts = [
  { number: ofFirst, file: files[0], seconds: '300' },
  { number: ofSecond, file: files[1], seconds: '300' },
  { number: ofBrief, file: files[0], seconds: String(briefSec) },
] as const;

export const conferencesHeard = useCaseOf({
  name,
  rule: 'In a quiescent cluster each participant of a conference hears the file that another one plays which it hears, such as an IVR script: also one that comes later, not while the topology says otherwise, and no longer than it is played; when the one that plays is removed, or its call ends, the others hear what the next one plays, or nothing.',
  exclusions:
    'Domains without rooms, with fewer than two phones that are registered, whose users limit calls, and whose limits refuse or end runs.',
  sender: '10.6.22.1',
  play: async (useCase) => {
    const [a, b] = await directedUsers(useCase, 2);
    const number = roomNumberOf(useCase, room);
    if (a === undefined || b === undefined || number === undefined) return;
    for (const file of files) {
      const path = `${parking}/${file}`;
      const bytes = { type: 'audio/wav', text: '~'.repeat(16_044) };
      const stored = await useCase.ask(path, { method: 'PUT', bytes });
      // Its disk may be full, or the domain may have as many files as it can.
      if (stored?.status !== 200) return;
      useCase.afterwards(() => useCase.ask(path, { method: 'DELETE' }));
    }
    for (const { number: own, file, seconds } of scripts) {
      const components = [
        { name: 'begin', type: 'start', next: 'reply' },
        { name: 'reply', type: 'answer', next: 'play', failed: 'rest' },
        { name: 'play', type: 'play', file: `'${file}'`, seconds, next: 'rest', failed: 'rest' },
        { name: 'rest', type: 'wait', seconds: '300' },
      ];
      if ((await useCase.make(ivrScripts, { code: `${name}-${own}`, number: own, components })) === undefined) return;
    }
    await useCase.copied();
    const conference = await openConference(useCase, a, number);
    if (conference === undefined) return;
    await new Hall(useCase, conference).listen([a, b]);
    await useCase.ask(conference.path, { method: 'DELETE', site: useCase.there });
    await useCase.everywhere(conference.path, over, endedMs);
  },
});

class Hall {
  readonly #useCase: UseCase;
  readonly #conference: OpenConference;
  /** A limit ends the runs that play then. */
  #untilMs = 0;

  constructor(useCase: UseCase, conference: OpenConference) {
    this.#useCase = useCase;
    this.#conference = conference;
  }

  async listen([a, b]: readonly [SteadyUser, SteadyUser]): Promise<void> {
    const [one, two] = files;
    const first = await this.#add(ofFirst);
    if (first === undefined || !(await this.#hear([a], one, 'of a script that is added'))) return;
    const late = await this.#add(b.number);
    if (late === undefined || !(await this.#hear([a, b], one, 'when another one has come'))) return;
    const of = await this.#idOf(a);
    for (const [hears, file] of [
      [[of], undefined],
      [[of, first], one],
    ] as const) {
      const body = { hears: { [late]: hears } };
      const set = await this.#useCase.ask(`${this.#conference.path}/topology`, { method: 'POST', body });
      // The run of the script may have ended.
      if (set?.status !== 200) return;
      if (!(await this.#hear([b], file, `with the topology ${JSON.stringify(body)}`))) return;
      if (!(await this.#hear([a], one, 'with another topology of another one'))) return;
    }
    // A limit of its site may refuse another run.
    const second = await this.#add(ofSecond);
    if (this.#isLate) return;
    // Which others it hears was chosen for one of them.
    const body = { hears: { [late]: [of, first, ...(second === undefined ? [] : [second])] } };
    await this.#useCase.ask(`${this.#conference.path}/topology`, { method: 'POST', body });
    await this.#remove(first);
    const next = second && two;
    if (!(await this.#hear([a, b], next, 'when the one that has played first is removed'))) return;
    if (second !== undefined) await this.#end(second);
    if (!(await this.#hear([a, b], undefined, 'when the call of the last one that plays has ended'))) return;
    const brief = await this.#add(ofBrief);
    if (brief === undefined || !(await this.#hear([a], one, 'of a script that plays for a while'))) return;
    await this.#useCase.context.questions.wait(briefSec * 1_000);
    await this.#hear([a], undefined, 'when a script has stopped to play');
  }

  /** The runs that play may be ended by their limit before the next judgement. */
  get #isLate(): boolean {
    return this.#useCase.context.now() > this.#untilMs;
  }

  /** Returns the participant when it takes part; `undefined` where it does not: a limit may have refused its run. */
  async #add(to: string): Promise<string | undefined> {
    const { context, domain, patienceMs, quickMs } = this.#useCase;
    const beganMs = context.now();
    const answer = await this.#useCase.ask(`${this.#conference.path}/participants`, { method: 'POST', body: { to } });
    const { participantid } = (answer?.body ?? {}) as Item;
    if (answer?.status !== 200 || typeof participantid !== 'string') return undefined;
    const wrong = await context.questions.eventually(patienceMs + quickMs, async () => {
      const path = `${this.#conference.path}/participants/${participantid}`;
      return expecting(200, { state: 'active' })(await this.#useCase.ask(path)) === undefined
        ? []
        : ['it is not there'];
    });
    const { durationSec } = scriptLimitsOf(context.map, domain);
    const endMs = beganMs + durationSec * 1_000 - 2 * quickMs;
    const isScript = scripts.some(({ number }) => number === to);
    if (isScript) this.#untilMs = this.#isLate ? endMs : Math.min(this.#untilMs, endMs);
    return wrong.length === 0 ? participantid : undefined;
  }

  async #idOf(user: SteadyUser): Promise<string> {
    const listed = itemsOf(await this.#useCase.ask(`${this.#conference.path}/participants`));
    return String(listed.find(({ ruri }) => ruri === uriOf(this.#useCase, user))?.['participantid']);
  }

  async #remove(participantid: string): Promise<void> {
    const path = `${this.#conference.path}/participants/${participantid}`;
    const removed = await this.#useCase.ask(path, { method: 'DELETE', site: this.#useCase.there });
    const { confid } = this.#conference;
    this.#useCase.expect('DELETE of a participant that plays', removed, expecting(200, { confid, participantid }));
  }

  /** Ends the call of a participant. */
  async #end(participantid: string): Promise<void> {
    const shown = await this.#useCase.ask(`${this.#conference.path}/participants/${participantid}`);
    const { callid } = (shown?.body ?? {}) as Item;
    const [dialogid] = await foundBy(this.#useCase, calls, { callid });
    await this.#useCase.ask(`${calls}/${dialogid}`, { method: 'DELETE' });
  }

  /** Returns whether each of them hears the file, or none, in time, or in the time of the scripts. */
  async #hear(users: readonly SteadyUser[], file: string | undefined, when: string): Promise<boolean> {
    const { context, quickMs } = this.#useCase;
    const wanted = file ?? 'nothing';
    const heard = () =>
      users.map((user) => {
        const [call] = this.#useCase.callsOf(user);
        return call === undefined ? 'no call' : (call.hears ?? 'nothing');
      });
    const isSo = () => heard().every((each) => each === wanted);
    const untilMs = context.now() + quickMs;
    while (!isSo() && context.now() < untilMs) await context.questions.wait(pollMs);
    if (!isSo() && this.#isLate) return false;
    return this.#useCase.expect(`what ${users.map(({ number }) => number).join()} hear ${when}`, undefined, () =>
      isSo() ? undefined : `expected ${wanted}, got ${heard().join()}`,
    );
  }
}
