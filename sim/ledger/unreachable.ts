/** What no run of a campaign can reach, with the reason: it does not count. */

/** By kind and name. A transition from or to a state of this list is none that a run could make either. */
export const unreachable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  states: {
    'session: expired': 'A session lives for an hour after its last use, and a run lasts for minutes.',
    'leg: expiring': 'A leg rings for ten minutes before, and ringing is limited to three.',
    'binding: gone': 'sr keeps what was registered for more than an hour, and a run lasts for minutes.',
    'matcher: reading': 'The simulated folder is read at once, so that no load is over before.',
  },
  transitions: {
    'registration: registered > wait_result': 'A provider grants an hour, of which nine tenths must pass.',
  },
};

/** Whether a run can reach it, as far as is known. */
export function isReachable(kind: string, name: string): boolean {
  if (unreachable[kind]?.[name] !== undefined) return false;
  if (kind !== 'transitions') return true;
  const [machine, before, after] = name.split(/: | > /);
  return [before, after].every((state) => unreachable['states']?.[`${machine}: ${state}`] === undefined);
}
