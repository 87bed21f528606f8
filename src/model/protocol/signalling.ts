/** SIP between role instances, as tells: what is lost is sent again by its sender, as SIP does. */
import { z } from 'zod';
import { sipMessageSchema } from '../sip/message.ts';
import { tell } from './message.ts';

export const signallingMessages = {
  sip: tell({
    does: 'Carries a SIP request or response one hop further.',
    to: ['sg', 'esg', 'b2b', 'conf', 'ivr', 'sr'],
    body: sipMessageSchema,
  }),
  'call.referred': tell({
    does: 'Tells ivr how the call fares that came of a REFER of its own; b2b sends it when it sees the call and at each answer.',
    to: ['ivr'],
    body: z.strictObject({
      /** What ivr put behind its address in the token of Referred-By. */
      key: z.string(),
      acallid: z.string(),
      inviteid: z.string(),
      dialogid: z.string(),
      /** Status of the last answer from the callee; 0 while there is none. */
      status: z.int(),
      reason: z.string(),
      /** Call-Id of the callee's leg that answered last. */
      bcallid: z.string().optional(),
    }),
  }),
};
