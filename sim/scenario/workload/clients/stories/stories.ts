/** The stories of clients, by activity. */
import { conference, recordedCall } from './calls.ts';
import { device, devices } from './device.ts';
import { bans, border, matcher } from './edges.ts';
import { file } from './file.ts';
import { meeting } from './meeting.ts';
import type { Story } from './story.ts';
import { unknownCaller } from './unknown-caller.ts';

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
