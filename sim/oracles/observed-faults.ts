/** The verbs of who breaks things, told to those who look on: each as it is used, and again when what it did is over. */
import type { Faults } from '../faults/faults.ts';
import type { Observers } from './observers.ts';

type Verb = (...args: unknown[]) => unknown;

/** The same verbs; one that gives no function to lift it is over as soon as it is done. */
export function observedFaults(faults: Faults, observers: Observers): Faults {
  let count = 0;
  const use = (verb: string, does: Verb, args: unknown[]) => {
    count += 1;
    const told = { fault: count, verb, args };
    const over = () => observers.tell('fault.mended', told);
    observers.tell('fault.inflicted', told);
    let lift: unknown;
    try {
      lift = does(...args);
      if (typeof lift !== 'function') return lift;
    } finally {
      if (typeof lift !== 'function') over();
    }
    const mend = lift as () => void;
    return () => {
      mend();
      over();
    };
  };
  return new Proxy(faults, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => use(String(name), member.bind(target) as Verb, args);
    },
  });
}
