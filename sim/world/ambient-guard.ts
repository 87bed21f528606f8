/**
 * Refuses the clock, the chance and the timers of the runtime, in processes that run only virtual worlds: a run that used
 * them would differ from one time to the next. The linter finds direct uses in the product; this finds those of packages
 * and of computed names too.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

type Named = Record<string, unknown>;

const refused: readonly (readonly [name: string, holder: object, member: string, port: string])[] = [
  ['Math.random', Math, 'random', 'random'],
  ['Date.now', Date, 'now', 'clock'],
  ['performance.now', performance, 'now', 'clock'],
  ['setTimeout', globalThis, 'setTimeout', 'clock'],
  ['setInterval', globalThis, 'setInterval', 'clock'],
  ...['randomBytes', 'randomUUID', 'randomInt'].map(
    (member) => [`crypto.${member}`, crypto, member, 'random'] as const,
  ),
];

/**
 * QuickJS reads the clock for the chance of a new context, and the sandbox replaces what scripts see of both. XState notes
 * when it has scheduled an event, and reads it nowhere. Both are recognized by their files, and stay outside the bundle of the command line.
 */
const exempt = /quickjs-wasmfile|Object\.schedule \(.*xstate/;

/** Returns the function that allows them again. */
export function refuseAmbient(): () => void {
  const before = refused.map(([, holder, member]) => (holder as Named)[member]);
  for (const [i, [name, holder, member, port]] of refused.entries()) {
    (holder as Named)[member] = (...args: unknown[]) => {
      const error = new Error(`${name} differs from run to run: a virtual world must use its ${port} port`);
      if (!exempt.test(error.stack ?? '')) throw error;
      return Reflect.apply(before[i] as () => unknown, holder, args);
    };
  }
  const RealDate = Date;
  globalThis.Date = guardedDate();
  syncBuiltinESMExports();
  return () => {
    globalThis.Date = RealDate;
    for (const [i, [, holder, member]] of refused.entries()) (holder as Named)[member] = before[i];
    syncBuiltinESMExports();
  };
}

/** `Date` without the present time. */
function guardedDate(): DateConstructor {
  const refuse = () => {
    throw new Error('new Date() differs from run to run: a virtual world must use its clock port');
  };
  return new Proxy(Date, {
    apply: refuse,
    construct: (target, args) => (args.length === 0 ? refuse() : Reflect.construct(target, args)),
  });
}
