/** The node with the data of a site does nothing while many lists of one user wait for it: what they took of the front is given back. */
import { limits } from '../../../../../src/model/limits.ts';
import type { QuestionAnswer } from '../../../questions.ts';
import { campaigns } from '../../use-cases/kit/paths.ts';
import { expecting, textOf } from '../../use-cases/kit/use-case.ts';
import { drillOf } from '../kit/drill.ts';
import { silentNodes } from '../kit/silence.ts';

/** More than a front works on at a time for one user. */
const crowd = 5 * limits.listsOfUser;

export const crowdsDelayed = drillOf({
  name: 'crowds-delayed',
  rule: 'When the node that has the data of a site does nothing for some seconds, each of many lists of one user at once is made, or refused with 503 or 504; soon after, when others serve or the node goes on, the lists of the user are made as before.',
  exclusions: 'Nodes that have the front of their site as well.',
  sender: '10.6.1.99',
  play: async (drill) => {
    const [silent] = silentNodes(drill).filter(({ node, sites }) => {
      const active = (['mdc', 'sdc'] as const).flatMap((role) => drill.activeOf(role, node.site));
      return sites.includes(node.site) && active.some((each) => each.node === node.name);
    });
    if (silent === undefined) return;
    const { name, site } = silent.node;
    if ((await drill.ask(campaigns, { site }))?.status !== 200) return;
    await drill.paused([name], async () => {
      const answers = await Promise.all(Array.from({ length: crowd }, () => drill.ask(campaigns, { site })));
      const wrong = answers.find((answer) => answer?.status !== 200 && !isRefused(answer));
      drill.expect(`${crowd} lists at once at ${site}`, wrong, () =>
        wrong === undefined ? undefined : `expected 200, 503 or 504, got ${textOf(wrong)}`,
      );
    });
    for (let count = 0; count <= limits.listsOfUser; count += 1)
      drill.expect(
        `GET ${campaigns} at ${site} after ${crowd} at once`,
        await drill.ask(campaigns, { site }),
        expecting(200),
      );
  },
});

function isRefused(answer: QuestionAnswer | undefined): boolean {
  return answer?.status === 504 || (answer?.status === 503 && Number(answer.headers.get('retry-after')) >= 1);
}
