/** The receivers of the effects of scripts can tell what is the same effect, and get none again that has ended. */
import { jsonOr } from '../../../../src/model/json.ts';
import { limits } from '../../../../src/model/limits.ts';
import type { ReceivedEffect } from '../../../outside/received-effect.ts';
import type { ObservationListeners, OracleContext, OracleMaker } from '../../oracle.ts';
import { setLast } from '../kit/shared.ts';

/** What a receiver has got under a key. */
interface Known extends ReceivedEffect {
  /** When its run was past it, in the store too. */
  readonly endedMs?: number;
}

interface Run {
  readonly owner: string;
  /** Since when this instance has it. */
  readonly sinceMs: number;
}

interface JournalEntry {
  readonly status: string;
  readonly steps: readonly { readonly component: string }[];
}

/** How many of the last webhook ids are compared. */
const comparedIds = 10_000;

/** How many of the last runs are compared with the journal. */
const comparedRuns = 50;

export const effectsOnce: OracleMaker = {
  name: 'effects-once',
  rule: 'No effect of a script happens twice under one idempotency key, and none happens under two: a receiver gets the same content under a key, nothing under the key of an effect that its run has left behind, no second attempt at an effect that is not repeatable after a failover, and as many keys of a component as the journal has steps. Two effects have two webhook ids.',
  exclusions:
    'Copies and late arrivals that the network makes: it is the time of sending that counts. Operations: an item has an id made of the key, so that domain data refuse a second one; calls and conferences know no key.',
  make: (context) => {
    const { check, fail } = context;
    /** By run and key. */
    const known = new Map<string, Map<string, Known>>();
    const runs = new Map<string, Run>();
    /** The run and key of each webhook id. */
    const webhooks = new Map<string, string>();
    const listeners: ObservationListeners = {
      'effect.received': (effect) => {
        const own = known.get(effect.run) ?? new Map<string, Known>();
        const before = own.get(effect.key);
        check();
        for (const problem of problemsOf(effect, before, runs.get(effect.run))) fail(problem);
        const id = webhookIdIn(effect);
        const effectOfId = id && webhooks.get(id);
        const name = `${effect.run} ${effect.key}`;
        if (effectOfId !== undefined && effectOfId !== name)
          fail(`the webhook id ${id} is that of two effects, by run and key: ${effectOfId}, and ${name}`);
        else if (id !== undefined) setLast(webhooks, id, name, comparedIds);
        known.set(effect.run, own.set(effect.key, { ...effect, ...before }));
      },
      'entity.state': {
        'script-run': ({ owner, key, state, before, atMs }) => {
          if (state === undefined) return void runs.delete(key);
          if (runs.get(key)?.owner !== owner) runs.set(key, { owner, sinceMs: atMs });
          const isPast = state === 'over' || (before?.endsWith('recording') === true && state.endsWith('pausing'));
          if (!isPast) return;
          const own = known.get(key);
          for (const each of own?.values() ?? [])
            if (each.endedMs === undefined) own?.set(each.key, { ...each, endedMs: atMs });
          if (state === 'over') runs.delete(key);
        },
      },
    };
    return { listeners, atQuiescence: () => compareJournal(context, known) };
  },
};

function problemsOf(effect: ReceivedEffect, before: Known | undefined, run: Run | undefined): string[] {
  if (before === undefined) return [];
  const { receiver, key, component, content, sentMs, isRepeatable } = effect;
  const what = `the ${receiver} receiver got the effect of "${component}" under the key ${key}`;
  const isOther = content !== undefined && before.content !== undefined && content !== before.content;
  const isAgain = before.endedMs !== undefined && sentMs > before.endedMs;
  const isUnwanted =
    isRepeatable === false && run !== undefined && before.sentMs < run.sinceMs && sentMs >= run.sinceMs;
  return [
    ...(isOther ? [`${what} with two contents: ${before.content} and ${content}`] : []),
    ...(isAgain ? [`${what} again, after the run had stored its outcome`] : []),
    ...(isUnwanted ? [`${what} again after a failover, although it is not repeatable`] : []),
  ];
}

function webhookIdIn({ receiver, content }: ReceivedEffect): string | undefined {
  if (receiver !== 'http') return undefined;
  const { webhookid } = jsonOr(content ?? '', {}) as { readonly webhookid?: unknown };
  return typeof webhookid === 'string' ? webhookid : undefined;
}

/** Each key of a component is an execution of it, which the journal shows; that of an effect under way may be missing. */
async function compareJournal(
  { questions, check, fail }: OracleContext,
  effects: ReadonlyMap<string, ReadonlyMap<string, Known>>,
): Promise<void> {
  for (const [run, byKey] of [...effects].slice(-comparedRuns)) {
    const own = [...byKey.values()];
    const journal = await journalOf(questions, own[0]?.domain ?? '', run);
    if (journal === undefined || journal.steps.length >= limits.scriptSteps) continue;
    const spare = journal.status === 'finished' ? 0 : 1;
    for (const component of new Set(own.map((each) => each.component))) {
      const keys = own.filter((each) => each.component === component).map(({ key }) => key);
      const steps = journal.steps.filter((step) => step.component === component).length;
      check();
      if (keys.length > steps + spare)
        fail(`the run ${run} has executed "${component}" ${steps} times, and its receiver knows ${keys.join(', ')}`);
    }
  }
}

async function journalOf(
  questions: OracleContext['questions'],
  domain: string,
  run: string,
): Promise<JournalEntry | undefined> {
  const path = `/rest/v1/journal/scripts/${encodeURIComponent(run)}`;
  for (const site of questions.sites) {
    const answer = await questions.ask({ site, domain, path });
    if (answer?.status === 200) return answer.body as JournalEntry;
  }
  return undefined;
}
