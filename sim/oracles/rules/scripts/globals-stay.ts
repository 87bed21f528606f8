/** Global variables of scripts survive failovers. */
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast } from '../kit/shared.ts';

/** Of runs, the last ones. */
const mostKept = 1_000;

export const globalsStay: OracleMaker = {
  name: 'globals-stay',
  rule: 'A script finds the global variable that an earlier one has set, which had answered before it was started by the same mware group: also after a failover or a restart.',
  exclusions: 'Groups with a disk that was full, from then on: what a run stores is lost there.',
  make: ({ map, check, fail }) => {
    const asked = new Map<string, { readonly domain: string; readonly atMs: number }>();
    /** When a script that has set the variable has first answered, by group and domain. */
    const setMs = new Map<string, number>();
    /** Nodes whose disk was full. */
    const full = new Set<string>();
    return {
      listeners: {
        'fault.inflicted': ({ verb, args }) => {
          if (verb === 'fillStore') full.add(String(args[0]));
        },
        'envelope.sent': {
          'script.run': ({ envelope: { kind, id, re, from, body }, atMs }) => {
            if (kind === 'ask')
              return setLast(asked, id, { domain: (body as BodyOf<'script.run'>).domain, atMs }, mostKept);
            const question = asked.get(re ?? '');
            const instance = map.instances.get(from);
            if (kind !== 'reply' || question === undefined || instance === undefined) return;
            const { variables = {} } = body as Partial<ReplyOf<'script.run'>>;
            if (variables['left'] === undefined) return;
            const group = map.groupOf(instance);
            if (group.some(({ node, site }) => full.has(node) || full.has(site))) return;
            const key = `${group[0]?.address} ${question.domain}`;
            const sinceMs = setMs.get(key);
            if (sinceMs === undefined) setMs.set(key, atMs);
            if (sinceMs === undefined || sinceMs >= question.atMs) return;
            check();
            if (variables['before'] === null)
              fail(
                `a script of ${question.domain} at ${from} has found no global variable, and one was set there before`,
              );
          },
        },
      },
    };
  },
};
