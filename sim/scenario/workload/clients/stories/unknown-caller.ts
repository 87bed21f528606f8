/** A device that the platform does not know calls in the name of users, existing ones and others. */
import { oneOf } from '../../tally.ts';
import type { Story } from './story.ts';

export const unknownCaller: Story = async (client) => {
  const { random, numbers } = client;
  const ip = `10.66.3.${random.integer(1, 99)}`;
  for (let n = random.integer(1, 3); n > 0; n -= 1) {
    const username = random.float() < 0.8 ? oneOf(numbers, random) : `unknown-${client.tag()}`;
    const number = random.float() < 0.7 ? oneOf(numbers, random) : '4930000001';
    if (username !== undefined && number !== undefined) client.callAs(username, number, ip);
    await client.pause(random.integer(500, 3_000));
  }
};
