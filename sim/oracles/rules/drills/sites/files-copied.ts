/** Files come to the copy of a site before the site is cut off: at once, and when its disk was full meanwhile. */
import { limits } from '../../../../../src/model/limits.ts';
import { boundsOf } from '../../../bounds.ts';
import { parking } from '../../use-cases/kit/paths.ts';
import { expecting, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { fromCopy } from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const groups = '/rest/v1/domain/contactgroups?countonly';
const type = 'audio/wav';
const names = { full: 'files-copied-full.wav', late: 'files-copied-late.wav', small: 'files-copied-small.wav' };
const { filePieceBytes } = limits;
/** Each piece takes so long that the disk is full between two of them. */
const writeMs = 300;
const pieces = 6;
const fullAfterMs = 4 * writeMs;

export const filesCopied = drillOf({
  name: 'files-copied',
  rule: 'When a site is cut off a moment after files were saved, the site serves their contents from its copy, whole and in ranges, with the age of the copy; also a file whose content did not fit on the disk of the copy at first, once there is room again.',
  exclusions: 'Domains that no site beside the master site serves.',
  sender: '10.6.21.1',
  play: async (drill) => {
    const { map } = drill.context;
    const master = map.masterSite.name;
    const sites = drill.sites.filter((each) => each !== master && drill.activeOf('sdc', each).length > 0);
    const [site] = drill.turned(sites);
    if (site === undefined || !drill.sites.includes(master)) return;
    drill.afterwards(async () => {
      for (const name of Object.values(names)) await drill.ask(`${parking}/${name}`, { method: 'DELETE' });
    });
    await copy(drill, { site, master });
  },
});

interface Place {
  readonly site: string;
  readonly master: string;
}

/** A text that differs from byte to byte, and from file to file. */
function textOfBytes(name: string, bytes: number): string {
  const line = `${name} `;
  return Array.from({ length: Math.ceil(bytes / (line.length + 7)) }, (_, at) => line + String(at).padStart(7, '0'))
    .join('')
    .slice(0, bytes);
}

async function copy(drill: Drill, { site, master }: Place): Promise<void> {
  const { questions, map } = drill.context;
  const saved = new Map<string, string>();
  const save = async (name: string, bytes: number) => {
    const text = textOfBytes(name, bytes);
    const put = await drill.ask(`${parking}/${name}`, { site: master, method: 'PUT', bytes: { type, text } });
    if (put?.status === 200) saved.set(name, text);
    return put?.status === 200;
  };
  const nodes = new Set(map.serving('sdc', site, drill.domain).map(({ node }) => node));
  let isSaved = false;
  await drill.duringAll(
    nodes,
    (faults, node) => faults.slowStore(node, writeMs),
    async () => {
      isSaved = await save(names.full, pieces * filePieceBytes - 100);
      await questions.wait(fullAfterMs);
      const lifts = [...nodes].map((node) => drill.context.faults.fillStore(node));
      await questions.wait(pieces * writeMs + drill.quickMs);
      for (const makeRoom of lifts) makeRoom();
    },
  );
  if (!isSaved) return;
  await questions.wait(boundsOf(map).copiedMs);
  if (!(await save(names.late, 2 * filePieceBytes + 100)) || !(await save(names.small, 10))) return;
  await drill.copied();
  const cutMs = drill.context.now();
  await drill.cutOff(site, async () => {
    const isAlone = fromCopy(drill, cutMs, expecting(200));
    if (!(await drill.everywhere(groups, isAlone, drill.noticedMs, { sites: [site] }))) return;
    for (const [name, text] of saved) await serves(drill, { site, name, text, cutMs });
  });
}

interface Served {
  readonly site: string;
  readonly name: string;
  readonly text: string;
  readonly cutMs: number;
}

async function serves(drill: Drill, { site, name, text, cutMs }: Served): Promise<void> {
  const read = async (what: string, headers: Readonly<Record<string, string>>, status: number, expected: string) => {
    const judge: Judge = (answer) => {
      const body = String(answer?.body ?? '');
      if (answer?.status !== status) return `expected ${status}, got ${textOf(answer)}`;
      return body === expected ? undefined : `expected ${expected.length} bytes of ${name}, got ${body.length} others`;
    };
    // An answer may break off where the content is not there.
    const answer = await drill.ask(`${parking}/${name}`, { site, headers }).catch(() => undefined);
    drill.expect(`GET ${what} of ${name} at ${site} behind a cut`, answer, fromCopy(drill, cutMs, judge));
  };
  await read('the whole', {}, 200, text);
  for (let at = filePieceBytes; at < text.length; at += 2 * filePieceBytes)
    await read(`bytes from ${at - 2}`, { range: `bytes=${at - 2}-${at + 1}` }, 206, text.slice(at - 2, at + 2));
  await read('the end', { range: 'bytes=-5' }, 206, text.slice(-5));
}
