/** Copies of domain data equal the original. */
import { coverOf } from '../../../../src/model/domain-tree.ts';
import type { Census } from '../../../../src/ports/instrumentation/probe.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleContext, OracleMaker } from '../../oracle.ts';

export const copiesAgree: OracleMaker = {
  name: 'copies-agree',
  rule: 'In a quiescent cluster each sdc has exactly the rows of mdc for each domain that it serves, in the same state.',
  make: (context) => ({
    atQuiescence: async () => {
      const { map, questions, stableMs, check, fail } = context;
      if (stableMs() === 0) return;
      let compared = 0;
      const wrong = await questions.eventually(boundsOf(map).copiedMs, () => {
        const found = compare(context);
        compared = found.compared;
        return found.wrong;
      });
      if (stableMs() === 0) return;
      check(compared);
      for (const what of wrong) fail(`quiescent: ${what}`);
    },
  }),
};

function compare({ map, census }: OracleContext): { compared: number; wrong: string[] } {
  const all = census({ withDetails: true });
  const of = (role: string) => all.filter((each) => map.instances.get(each.of)?.role === role);
  const master = new Map(of('mdc').flatMap((each) => figuresIn(each)));
  const wrong: string[] = [];
  let compared = 0;
  for (const copy of of('sdc')) {
    const served = map.instance(copy.of).domains;
    const figures = new Map(figuresIn(copy));
    for (const name of new Set([...master.keys(), ...figures.keys()])) {
      const domain = name.slice(name.indexOf(' ') + 1);
      if (coverOf(domain, served) === undefined) continue;
      compared += 1;
      const [has, must] = [figures.get(name) ?? 0, master.get(name) ?? 0];
      if (has === must) continue;
      wrong.push(
        name.startsWith('rows')
          ? `${copy.of} has ${has} rows of ${domain}, and the master has ${must}`
          : `${copy.of} has rows of ${domain} in another state than the master`,
      );
    }
  }
  return { compared, wrong };
}

/** `rows <domain>` and `stamp <domain>`. */
function figuresIn({ counts }: Census): [string, number][] {
  return [...counts].filter(([name]) => name.startsWith('rows ') || name.startsWith('stamp '));
}
