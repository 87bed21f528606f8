/** What the runner of oracles makes of their failures. */
import { Observers } from '../../../sim/observation/observers.ts';
import { OracleRunner } from '../../../sim/oracles/oracle-runner.ts';
import type { World } from '../../../sim/world/world.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

test('a failure names the endpoints in its text as scenarios do', (t) => {
  const observers = new Observers(() => 0);
  const phone = { name: 'acme.root.test/1001', endpoint: '10.101.1.1:5060' };
  const world = {
    map: defaultMap,
    now: () => 0,
    observe: observers.add.bind(observers),
    outside: { phones: () => [phone] },
  } as unknown as World;
  const runner = new OracleRunner(world, { only: ['dialogs-conform'] });
  const heard: string[] = [];
  runner.onFailure((name, { what }) => heard.push(`${name}: ${what}`));
  const [edge] = defaultMap.instancesOf('sg');
  const [from, to] = [edge === undefined ? '' : defaultMap.endpointOf(edge), phone.endpoint];
  const message = { kind: 'response', status: 200, method: 'BYE', cseq: 2, callid: 'c', from: {}, to: {}, via: [] };
  observers.deliver({ kind: 'outside.sent', atMs: 0, from, to, message: message as never });
  t.is(heard.length, 1);
  t.true(
    heard[0]?.includes(`${edge?.address} (${from}) has sent 200 to BYE 2 of c to ${phone.name} (${to})`),
    heard[0],
  );
  t.deepEqual(
    runner.verdicts().map(({ failures }) => failures.map(({ what }) => `dialogs-conform: ${what}`)),
    [heard],
  );
});
