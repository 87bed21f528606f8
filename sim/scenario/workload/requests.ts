/** HTTP requests as a part of a workload: reads of lists, look-ups, whatever answers the same however often it is asked. */
import type { Desk } from '../desk.ts';
import type { WorkloadRequests } from '../workload-schema.ts';
import { Beat, drawn, oneOf, type Part, type PartScene } from './part.ts';
import { Account } from './tally.ts';

export interface RequestsScene extends PartScene {
  readonly desk: Desk;
  /** Sites that have a front. */
  readonly fronts: readonly string[];
}

export function requestsPart(wanted: WorkloadRequests, scene: RequestsScene): Part {
  const { rate, through = scene.fronts, as, method, body } = wanted;
  const mix = Object.entries(wanted.mix ?? { [wanted.path ?? '/']: 1 });
  const accounts = new Map(mix.map(([path]) => [path, new Account(`${method} ${path}`)]));
  const begin = () => {
    const path = drawn(mix, scene.random) ?? '/';
    const site = oneOf(through, scene.random) ?? '';
    const account = accounts.get(path);
    if (account === undefined) return;
    account.started += 1;
    scene.desk.askOrNone({ through: site, as, method, path, body }).then(
      (answer) => account.settle(answer),
      () => account.settle(undefined),
    );
  };
  const beat = new Beat(rate, scene, begin);
  return {
    start: () => beat.start(),
    stop: () => beat.stop(),
    // Of a mix not every path need have had its turn.
    account: () => {
      const reports = [...accounts.values()].map((account) => account.report());
      const begun = reports.filter(({ started }) => started > 0);
      return begun.length > 0 ? begun : reports;
    },
  };
}
