/** Files, archives of applications and recordings: what each side of a cut serves of them, and what all serve after it. */
import type { QuestionAnswer } from '../../../questions.ts';
import { archiveOf } from '../../use-cases/kit/archive.ts';
import { connect, type OwnCall, steadyUsers } from '../../use-cases/kit/call.ts';
import { apps, calls, parking, records } from '../../use-cases/kit/paths.ts';
import { expecting, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import {
  acrossCut,
  type Cut,
  type CutSide,
  cutOf,
  fromCopy,
  fromMaster,
  homeOf,
  lacking,
  without,
} from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const name = 'files-across-cuts';
const files = { kept: `${name}.wav`, gone: `${name}-gone.wav`, fresh: `${name}-fresh.wav` };
const [old, young] = ['what was before', 'and what is since then'];
const type = 'audio/wav';
const page = 'index.html';
const archives = [archiveOf(page, 'old'), archiveOf(page, 'the page of now')] as const;
const recordedMs = 1_500;

export const filesAcrossCuts = drillOf({
  name: 'files-across-cuts',
  rule: 'When a site is cut off, files and the archives of applications change on the side of the master site only, under the conditions of the client; the other side serves them as they were, with their validators and the age of its copy, and after the cut each front serves what they are now, also in a second cut; recordings are served where they are and stay there, and lists and removals say which sites they lack.',
  exclusions: 'Clusters of one site; recordings where no side has two phones that are registered and answer.',
  sender: '10.6.1.26',
  play: async (drill) => {
    const cut = await cutOf(drill);
    if (cut === undefined) return;
    const play = new Play(drill, cut);
    drill.afterwards(() => play.remove());
    const users = await steadyUsers(drill, 8);
    if (await play.make()) await play.run([...cut.inside.usersOf(users)]);
  },
});

type Asked = NonNullable<Parameters<Drill['ask']>[1]>;
type Fields = Readonly<Record<string, string>>;

/** The answer has the status, and these headers and this text, where they are given. */
function serving(status: number, fields: Fields = {}): Judge {
  return (answer) => {
    const got: Fields = { ...Object.fromEntries(answer?.headers ?? []), body: String(answer?.body ?? '') };
    const wrong = Object.keys(fields).find((field) => got[field] !== fields[field]);
    if (answer?.status !== status) return `expected ${status}, got ${textOf(answer)}`;
    return wrong && `expected ${wrong} ${fields[wrong]}, got ${got[wrong]}`;
  };
}

function etagOf(answer: QuestionAnswer | undefined): string {
  return answer?.headers.get('etag') ?? '';
}

/** An answer to HEAD does not say what is out of reach. */
function awayTo({ method }: Asked): Judge {
  return method === 'HEAD' ? serving(503) : without('mdc');
}

class Play {
  readonly #drill: Drill;
  readonly #cut: Cut;
  #app = '';
  #etag = '';
  #etagOfArchive = '';

  constructor(drill: Drill, cut: Cut) {
    this.#drill = drill;
    this.#cut = cut;
  }

  /** Whether there is room for them. */
  async make(): Promise<boolean> {
    const kept = await this.#put(files.kept, old);
    const gone = await this.#put(files.gone, old);
    const app = await this.#drill.make(apps, { folder: name });
    this.#app = app?.path ?? '';
    const stored = await this.#store(archives[0].archive);
    this.#etag = etagOf(kept);
    this.#etagOfArchive = etagOf(stored);
    await this.#drill.copied();
    return [kept, gone, stored].every((answer) => answer?.status === 200);
  }

  async remove(): Promise<void> {
    for (const each of Object.values(files)) await this.#drill.ask(`${parking}/${each}`, { method: 'DELETE' });
  }

  async run(users: readonly { readonly number: string }[]): Promise<void> {
    const { master, other } = this.#cut;
    const recorded = await this.#record(users);
    let changed: Fields | undefined;
    await acrossCut(this.#drill, this.#cut, async (cutMs) => {
      const [front = this.#drill.here] = master.fronts;
      changed = await this.#change(front);
      await this.#isNew(master, changed, fromMaster);
      await this.#isOld(other, (judge) => fromCopy(this.#drill, cutMs, judge));
      await this.#refused(other);
      if (recorded !== undefined) await this.#recordedThere(recorded);
    });
    if (changed === undefined) return;
    for (const side of this.#cut.sides) await this.#isNew(side, changed, fromMaster, this.#drill.quickMs);
    if (recorded !== undefined) await this.#recordedEverywhere(recorded);
    if (other.serving('sdc').length === 0) return;
    const { etag, archive } = changed;
    await acrossCut(this.#drill, this.#cut, async (cutMs) => {
      const copied = (judge: Judge) => fromCopy(this.#drill, cutMs, judge);
      await this.#isNew(other, { etag: String(etag), archive: String(archive) }, copied);
    });
  }

  #put(file: string, text: string, asked: Asked = {}): Promise<QuestionAnswer | undefined> {
    return this.#drill.ask(`${parking}/${file}`, { ...asked, method: 'PUT', bytes: { type, text } });
  }

  #store(text: string, asked: Asked = {}): Promise<QuestionAnswer | undefined> {
    const bytes = { type: 'application/zip', text };
    return this.#drill.ask(`${this.#app}/attachment`, { ...asked, method: 'PUT', bytes });
  }

  /** Changes all at a front, under conditions. Returns the validators. */
  async #change(site: string): Promise<Fields> {
    const expect = (what: string, answer: QuestionAnswer | undefined, status: number) =>
      this.#drill.expect(`${what} at ${site}`, answer, serving(status));
    const ifOld = { site, headers: { 'if-match': this.#etag } };
    const put = await this.#put(files.kept, young, ifOld);
    expect('PUT with If-Match', put, 200);
    expect('PUT with If-Match of the content before', await this.#put(files.kept, 'other', ifOld), 412);
    expect('PUT of another file', await this.#put(files.fresh, young, { site }), 200);
    expect('DELETE', await this.#drill.ask(`${parking}/${files.gone}`, { site, method: 'DELETE' }), 204);
    const ifOldArchive = { site, headers: { 'if-match': this.#etagOfArchive } };
    const ifNone = { site, headers: { 'if-none-match': '*' } };
    expect('PUT with If-None-Match *', await this.#store(archives[1].archive, ifNone), 412);
    const stored = await this.#store(archives[1].archive, ifOldArchive);
    expect('PUT of an archive', stored, 200);
    return { etag: etagOf(put), archive: etagOf(stored) };
  }

  /** The fronts of a side serve what was changed. */
  async #isNew(
    side: CutSide,
    { etag = '', archive = '' }: Fields,
    by: (judge: Judge) => Judge,
    withinMs = 0,
  ): Promise<void> {
    const read = (path: string, judge: Judge, asked: Asked = {}) =>
      side.everywhere(path, (site) => (side.reads(site) || withinMs > 0 ? by(judge) : awayTo(asked)), withinMs, asked);
    const kept = `${parking}/${files.kept}`;
    await read(kept, serving(200, { body: young, etag, 'content-length': String(young.length) }));
    await read(kept, serving(304, { etag }), { headers: { 'if-none-match': etag } });
    await read(kept, serving(200, { body: young }), { headers: { 'if-none-match': this.#etag } });
    await read(kept, serving(206, { body: young.slice(4, 8) }), { headers: { range: 'bytes=4-7', 'if-range': etag } });
    await read(`${parking}/${files.gone}`, serving(404));
    await read(`${parking}/${files.fresh}`, serving(200, { body: young }));
    const length = String(archives[1].archive.length);
    await read(`${this.#app}/attachment`, serving(200, { etag: archive, 'content-length': length }), {
      method: 'HEAD',
    });
    await read(`/app/${name}/${page}`, serving(200, { body: archives[1].content }));
  }

  /** The fronts of a side serve what was before, and no more. */
  async #isOld(side: CutSide, by: (judge: Judge) => Judge): Promise<void> {
    const read = (path: string, judge: Judge, asked: Asked = {}) =>
      side.everywhere(path, (site) => (side.reads(site) ? by(judge) : awayTo(asked)), 0, asked);
    const kept = `${parking}/${files.kept}`;
    const etag = this.#etag;
    await read(kept, serving(200, { body: old, etag }));
    await read(kept, serving(304, { etag }), { headers: { 'if-none-match': etag } });
    await read(kept, serving(206, { body: old.slice(4, 8) }), { headers: { range: 'bytes=4-7' } });
    await read(kept, serving(200, { etag, 'content-length': String(old.length) }), { method: 'HEAD' });
    await read(`${parking}/${files.gone}`, serving(200, { body: old }));
    await read(`${parking}/${files.fresh}`, serving(404));
    const attachment = `${this.#app}/attachment`;
    await read(attachment, serving(200, { body: archives[0].archive, etag: this.#etagOfArchive }));
    await read(`/app/${name}/${page}`, serving(200, { body: archives[0].content }));
  }

  /** A side without the master site changes no file. */
  async #refused(side: CutSide): Promise<void> {
    const bytes = { type, text: 'refused' };
    const refuse = (path: string, asked: Asked) => side.everywhere(path, () => without('mdc'), 0, asked);
    await refuse(`${parking}/${files.kept}`, { method: 'PUT', bytes });
    await refuse(`${parking}/${files.fresh}`, { method: 'PUT', bytes });
    await refuse(`${parking}/${files.kept}`, { method: 'DELETE' });
    await refuse(`${this.#app}/attachment`, {
      method: 'PUT',
      bytes: { type: 'application/zip', text: archives[1].archive },
    });
  }

  /** Records a call of two phones of the site that is cut off. */
  async #record([x, y]: readonly { readonly number: string }[]): Promise<OwnCall | undefined> {
    const { home } = this.#cut.inside;
    if (x === undefined || y === undefined || home === undefined) return undefined;
    const call = await connect(this.#drill, { from: x.number, to: y.number }, { site: home });
    if (call === undefined) return undefined;
    const { dialogid, path } = call;
    const started = await this.#drill.ask(path, { site: home, method: 'SETUP_RECORD', body: { action: 'start' } });
    this.#drill.expect('SETUP_RECORD', started, expecting(200, { dialogid, result: 'ok' }));
    await this.#drill.context.questions.wait(recordedMs);
    const end = await this.#drill.ask(`${calls}/${dialogid}`, { site: home, method: 'DELETE' });
    this.#drill.expect('DELETE of the call', end, expecting(200, { dialogid, result: 'ok' }));
    await this.#drill.context.questions.wait(this.#drill.quickMs);
    return call;
  }

  /** During the cut: served on the side of its b2b; the other side says that it lacks the sites of that side. */
  async #recordedThere(call: OwnCall): Promise<void> {
    const { sides } = this.#cut;
    const home = homeOf(this.#drill, call);
    const [side, lost] = sides[0].sites.includes(String(home)) ? sides : sides.toReversed();
    if (side === undefined || lost === undefined) return;
    const path = attachmentsOf(call);
    await side.everywhere(path, () => lacking(lost.serving('callstore'), ofSite(home)));
    const listed = await this.#drill.ask(path, { site: side.home ?? this.#drill.here });
    const file = `${path}/${nameIn(listed)}`;
    await side.everywhere(file, () => (answer) => (answer?.status === 200 ? undefined : `got ${textOf(answer)}`), 0, {
      method: 'HEAD',
    });
    const isAnswered = lost.serving('mware').length > 0;
    await lost.everywhere(path, () =>
      isAnswered ? lacking(side.serving('callstore'), ofSite(undefined)) : without('mware'),
    );
    const away = () => without(isAnswered ? `callstore of site ${home}` : 'mware');
    await lost.everywhere(file, away);
    // All there are at the sites in reach: none, and they stay where they are.
    const gone = () => (isAnswered ? lacking(side.serving('callstore'), serving(204)) : without('mware'));
    await lost.everywhere(path, gone, 0, { method: 'DELETE' });
    await lost.everywhere(file, away, 0, { method: 'DELETE' });
  }

  async #recordedEverywhere(call: OwnCall): Promise<void> {
    const path = attachmentsOf(call);
    await this.#drill.everywhere(path, lacking([], ofSite(homeOf(this.#drill, call))));
    const listed = await this.#drill.ask(path);
    const file = `${path}/${nameIn(listed)}`;
    const head = await this.#drill.ask(file, { method: 'HEAD' });
    const etag = etagOf(head);
    const size = head?.headers.get('content-length') ?? '';
    await this.#drill.everywhere(file, serving(200, { etag, 'content-length': size }), 0, { method: 'HEAD' });
    await this.#drill.everywhere(file, serving(304, { etag }), 0, { headers: { 'if-none-match': etag } });
    const gone = await this.#drill.ask(path, { site: this.#drill.there, method: 'DELETE' });
    this.#drill.expect('DELETE of recordings', gone, serving(204));
    await this.#drill.everywhere(path, lacking([], ofSite(undefined)));
  }
}

function attachmentsOf({ inviteid }: OwnCall): string {
  return `${records}/${inviteid}/attachments`;
}

interface Listed {
  readonly site: string;
  readonly files: readonly { readonly name: string }[];
}

function listedIn(answer: QuestionAnswer | undefined): readonly Listed[] {
  return (Array.isArray(answer?.body) ? answer.body : []) as readonly Listed[];
}

function nameIn(answer: QuestionAnswer | undefined): string {
  return String(listedIn(answer)[0]?.files[0]?.name);
}

/** The list has recordings of this site only, or none. */
function ofSite(site: string | undefined): Judge {
  return (answer) => {
    const sites = listedIn(answer).filter(({ files: all }) => all.length > 0);
    const isRight = answer?.status === 200 && sites.map((each) => each.site).join() === (site ?? '');
    return isRight ? undefined : `expected recordings of ${site ?? 'no site'}, got ${textOf(answer)}`;
  };
}
