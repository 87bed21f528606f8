/** An IVR script that collects digits, plays, records, calls, and transfers its caller. */
import type { Item } from '../kit/use-case.ts';

export const collectingCode = 'callers-served';
/** As long as a second of sound at 8 kHz and 16 bit, behind its header. */
export const soundBytes = 16_044;
export const soundName = 'callers-served.wav';

/** For two digits, of which one comes: over slow links, each takes more than a second. */
export const lateSeconds = 2;

export const recordingCode = 'callers-served-2';
export const recordedSeconds = 1;
/** Waits for a digit, records, and waits for the caller to hang up. */
export const recordingComponents: readonly Item[] = [
  { name: 'begin', type: 'start', next: 'reply' },
  { name: 'reply', type: 'answer', next: 'go' },
  { name: 'go', type: 'menu', digits: 1, seconds: '30', result: 'go', next: 'taped' },
  { name: 'taped', type: 'record', seconds: String(recordedSeconds), result: 'taped', next: 'rest' },
  { name: 'rest', type: 'menu', digits: 1, seconds: '30', result: 'rest' },
];

function menu(name: string, next: string, fields: Item): Item {
  return { name, type: 'menu', result: name, seconds: '30', next, timeout: 'wrong', failed: 'wrong', ...fields };
}

function failing(name: string, type: string, failed: string, fields: Item): Item {
  return { name, type, result: name, next: 'wrong', failed, ...fields };
}

/** The parties, the call, and what it calls: `number`. */
export function collectingComponents(number: string): Item[] {
  const file = `':SYNC_COMMON/parking/${soundName}'`;
  return [
    { name: 'begin', type: 'start', next: 'early' },
    { name: 'early', type: 'play', file: "''", seconds: '1', result: 'early', next: 'wrong', failed: 'reply' },
    { name: 'reply', type: 'answer', next: 'params', failed: 'wrong' },
    { name: 'params', type: 'assign', set: { params: '[startparam(1), startparam(2), startparam(3)]' }, next: 'two' },
    menu('two', 'three', { digits: 2 }),
    menu('three', 'star', { digits: 3 }),
    menu('star', 'none', { digits: 3, end: '*' }),
    menu('none', 'late', { digits: 1, end: '' }),
    menu('late', 'sound', { digits: 2, seconds: String(lateSeconds), timeout: 'sound', next: 'wrong' }),
    { name: 'sound', type: 'play', file, seconds: '20', interrupt: true, next: 'key', failed: 'wrong' },
    menu('key', 'whole', { digits: 1 }),
    { name: 'whole', type: 'play', file: `'${soundName}'`, next: 'missing', failed: 'wrong' },
    failing('missing', 'play', 'minus', { file: "'no-such-file.wav'" }),
    failing('minus', 'play', 'zero', { seconds: '-1' }),
    failing('zero', 'menu', 'own', { seconds: '0', timeout: 'wrong' }),
    {
      name: 'own',
      type: 'operation',
      operation: 'call.get',
      params: { inviteid: 'startparam(3)' },
      result: 'own',
      next: 'taped',
      failed: 'wrong',
      indefinite: 'wrong',
    },
    { name: 'taped', type: 'record', seconds: '30', end: '9', result: 'taped', next: 'kept', failed: 'wrong' },
    menu('kept', 'brief', { digits: 1 }),
    { name: 'brief', type: 'record', seconds: '1', result: 'brief', next: 'odd', failed: 'wrong' },
    failing('odd', 'refer', 'ring', { to: "'not a number'", timeout: 'wrong' }),
    { name: 'ring', type: 'call', to: `'${number}'`, next: 'note', timeout: 'wrong', failed: 'wrong' },
    { name: 'note', type: 'log', text: "'called'", next: 'join' },
    { name: 'join', type: 'transfer', result: 'joined', timeout: 'wrong', failed: 'wrong' },
    { name: 'wrong', type: 'log', text: "'a wrong branch'" },
  ];
}
