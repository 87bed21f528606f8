/** A machine that is played does what the same machine does as an actor, as the platform runs it. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Choices } from '../../../sim/check/kit/choices.ts';
import { nameOf } from '../../../sim/check/machine/machine-check.ts';
import { actionOf, type Stimulus, stimulusLists } from '../../../sim/check/machine/stimuli.ts';
import { machineChecks } from '../../../sim/check/machines/all.ts';
import type { Command } from '../../../sim/check/player/moment.ts';
import { MachinePlayer, stateOf } from '../../../sim/check/player/player.ts';
import { walk } from '../../kit/machine-walk.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

for (const check of machineChecks) {
  test(`${nameOf(check)}: played, it goes through the states of the actor, with its commands, contexts and deadlines`, async (t) => {
    const player = new MachinePlayer(check.machine);
    await holds(
      t,
      fc.property(stimulusLists, (stimuli: readonly Stimulus[]) => {
        const input: unknown = check.input?.(new Choices(stimuli[0]?.picks ?? []), 0);
        const actor = walk(check.machine, { input });
        const started = player.start(input);
        let { moment } = started;
        const commands: Command[] = [...started.commands];
        for (const stimulus of stimuli) {
          if (moment.snapshot.status !== 'active') break;
          const action = actionOf(stimulus, check, moment);
          if (action === undefined) continue;
          if ('passMs' in action) {
            moment = player.advance(moment, moment.nowMs + action.passMs, (_, reaction) =>
              commands.push(...reaction.commands),
            );
            actor.pass(action.passMs);
          } else {
            const reaction = player.send(moment, action.event);
            moment = reaction.moment;
            commands.push(...reaction.commands);
            actor.send(action.event);
          }
          assert.equal(stateOf(moment), actor.state);
          assert.deepEqual(moment.snapshot.context, actor.context);
          assert.equal(moment.deadlines.length, actor.clock.pending);
          assert.equal(moment.deadlines[0]?.dueMs, actor.clock.nextDeadlineMs());
        }
        // What goes to another actor (`to`) is not emitted; the command of a call names a side so.
        assert.deepEqual(
          commands.filter((command) => !('to' in command) || command.type === 'pass.on'),
          actor.commands,
        );
        actor.stop();
      }),
      { numRuns: sized(7, 25) },
    );
  });
}
