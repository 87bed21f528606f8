/** The stories of clients, by activity. */

import { oneOf } from '../../tally.ts';
import { conference, recordedCall } from './call-stories.ts';
import { device, devices } from './device.ts';
import { bans, border, matcher } from './edges.ts';
import { file } from './file.ts';
import { meeting } from './meeting.ts';
import type { Story } from './story.ts';

const unknownCaller: Story = async (client) => {
  const { random, numbers } = client;
  const ip = `10.66.3.${random.integer(1, 99)}`;
  for (let n = random.integer(1, 3); n > 0; n -= 1) {
    const username = random.float() < 0.8 ? oneOf(numbers, random) : `unknown-${client.tag()}`;
    const number = random.float() < 0.7 ? oneOf(numbers, random) : '4930000001';
    if (username !== undefined && number !== undefined) client.callAs(username, number, ip);
    await client.pause(random.integer(500, 3_000));
  }
};

export const stories = {
  meeting,
  file,
  recordedCall,
  conference,
  bans,
  matcher,
  border,
  device,
  devices,
  unknownCaller,
} as const satisfies Readonly<Record<string, Story>>;
