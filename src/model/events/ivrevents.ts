/** Class ivrevents: calls of IVR scripts, as their ivr instance sends them. (class public; names and fields chosen) */
import { z } from 'zod';
import { chosen } from '../provenance.ts';
import { event } from './event-declaration.ts';

const call = {
  runid: z.string().describe('Id of the run, as in `/rest/v1/journal/scripts`; Call-Id of the leg of ivr').meta(chosen),
  scriptcode: z.string().describe('Code of the IVR script').meta(chosen),
  inviteid: z.string().describe('Id of the call, as in `/rest/v1/uc/calls`').meta(chosen),
  domain: z.string().describe('Domain of the script').meta(chosen),
};

export const ivrevents = {
  ivr_start: event('A call has come to an IVR script, which begins.', 'The first event of a run. Once.', {
    ...call,
    from: z.string().describe('Number that calls').meta(chosen),
    to: z.string().describe('Number that is called').meta(chosen),
  }),
  ivr_component: event(
    'A component that acts on something outside of the script has ended.',
    'After `ivr_start`, in the order of the components.',
    {
      ...call,
      component: z.string().describe('Name of the component').meta(chosen),
      type: z.string().describe('Its type, such as `menu`').meta(chosen),
      branch: z.string().describe('The branch at which the script continues').meta(chosen),
    },
  ),
  ivr_stop: event('The script and its call are over.', 'Once. The last event of a run.', {
    ...call,
    status: z
      .enum(['finished', 'failed'])
      .describe('`finished`: the script has ended by itself; `failed`: it has failed, or its call has ended before')
      .meta(chosen),
    problem: z.string().describe('Why it failed; may be empty').meta(chosen),
  }),
};
