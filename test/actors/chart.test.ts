/** Machines that run as prepared charts against XState: the same states, contexts, commands and deadlines. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type AnyEventObject, assign, createMachine, raise, setup } from 'xstate';
import { Choices } from '../../sim/check/kit/choices.ts';
import type { AnyCheck } from '../../sim/check/machine/machine-check.ts';
import { actionOf, inputOf, stimulusLists } from '../../sim/check/machine/stimuli.ts';
import { machineChecks } from '../../sim/check/machines/all.ts';
import type { Moment } from '../../sim/check/player/moment.ts';
import { MachinePlayer, stateOf } from '../../sim/check/player/player.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Chart } from '../../src/actors/chart.ts';
import { EntityActor } from '../../src/actors/entity-host.ts';
import { holds, sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';

/** The machines of entities, by id. */
const hosted = [
  ...['announcement', 'ban', 'binding', 'conference', 'device', 'dialog', 'ivr-call', 'matcher', 'participant', 'ping'],
  ...['presence', 'recording', 'registration', 'script-call', 'script-run', 'session', 'suspect', 'transfer'],
];

const checks = machineChecks.filter(({ machine }) => hosted.includes(machine.id));

test('the check kit has every machine of an entity', (t) => {
  t.deepEqual([...new Set(checks.map(({ machine }) => machine.id))].sort(), [...hosted].sort());
});

/** An entity beside the moments of the same machine in XState. */
class Pair {
  readonly #player: MachinePlayer;
  readonly #clock: VirtualClock;
  readonly #entity: EntityActor;
  readonly #given: unknown[] = [];
  readonly #expected: unknown[] = [];
  moment: Moment;

  constructor({ machine }: AnyCheck, input: unknown) {
    this.#player = new MachinePlayer(machine);
    this.#clock = new VirtualClock(0);
    this.#entity = new EntityActor('one', {
      chart: Chart.of(machine),
      clock: this.#clock,
      owner: {
        onTransition: (_, commands) => this.#given.push(...commands),
        onError: (error) => assert.fail(String(error)),
      },
    });
    const reaction = this.#player.start(input);
    this.#expected.push(...reaction.commands);
    this.moment = reaction.moment;
    this.#entity.start(input);
    this.#compare();
  }

  tell(event: AnyEventObject): void {
    assert.equal(this.#entity.can(event), this.moment.snapshot.status === 'active' && this.moment.snapshot.can(event));
    const reaction = this.#player.send(this.moment, event);
    this.#expected.push(...reaction.commands);
    this.moment = reaction.moment;
    this.#entity.send(event);
    this.#compare();
  }

  pass(ms: number): void {
    const untilMs = this.moment.nowMs + ms;
    this.moment = this.#player.advance(this.moment, untilMs, (_, { commands }) => this.#expected.push(...commands));
    this.#clock.advanceTo(untilMs);
    this.#compare();
  }

  #compare(): void {
    const { snapshot, deadlines } = this.moment;
    assert.equal(this.#entity.leaf.name, stateOf(this.moment));
    assert.deepEqual(this.#entity.value, snapshot.value);
    assert.deepEqual(this.#entity.context, snapshot.context);
    assert.deepEqual(this.#given, this.#expected);
    assert.equal(this.#entity.leaf.isFinal, snapshot.status === 'done');
    assert.equal(this.#clock.pending, snapshot.status === 'done' ? 0 : deadlines.length);
    if (deadlines.length > 0) assert.equal(this.#clock.nextDeadlineMs(), deadlines[0]?.dueMs);
  }
}

for (const check of checks) {
  test(`${check.machine.id}${check.name === undefined ? '' : ` (${check.name})`}: for any events and times, the chart does what XState does`, async (t) => {
    await holds(
      t,
      fc.property(fc.array(fc.nat(999), { maxLength: 8 }), stimulusLists, (picks, stimuli) => {
        const pair = new Pair(check, inputOf(check, new Choices(picks)));
        for (const stimulus of stimuli) {
          const action = actionOf(stimulus, check, pair.moment);
          if (action === undefined) continue;
          if ('passMs' in action) pair.pass(action.passMs);
          else pair.tell(action.event);
        }
        pair.tell({ type: 'never.heard.of' });
      }),
      { numRuns: sized(15, 60) },
    );
  });
}

test('what a chart does not support is refused when it is prepared', (t) => {
  const refused = {
    'a parallel state': createMachine({ type: 'parallel', states: { one: {}, two: {} } }),
    'a nested final state': createMachine({
      initial: 'one',
      states: { one: { initial: 'inner', states: { inner: { type: 'final' } } } },
    }),
    'expected assign, emit or enqueueActions': createMachine({ entry: () => {} }),
    'no action "missing"': createMachine({ on: { go: { actions: 'missing' } } }),
    'no plain guard "missing"': createMachine({ on: { go: { guard: 'missing' } } }),
    'expected a delay': createMachine({ entry: raise({ type: 'again' }) }),
  };
  for (const [problem, machine] of Object.entries(refused))
    t.true(t.throws(() => Chart.of(machine)).message.includes(problem), problem);
});

test('a chart that goes round without an event is stopped', (t) => {
  const endless = setup({
    types: { context: {} as { count: number } },
    actions: { count: assign({ count: ({ context }) => context.count + 1 }) },
  }).createMachine({
    context: { count: 0 },
    initial: 'one',
    states: { one: { always: { target: 'two', actions: 'count' } }, two: { always: 'one' } },
  });
  const errors: unknown[] = [];
  const owner = { onTransition: () => {}, onError: (error: unknown) => errors.push(error) };
  new EntityActor('one', { chart: Chart.of(endless), clock: new VirtualClock(0), owner }).start(undefined);
  t.regex(String(errors[0]), /loops in state/);
});
