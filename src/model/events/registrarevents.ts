/** Classes registrarevents and modelevents: registrations of devices, and their effect on the SIP user. */
import { z } from 'zod';
import { chosen } from '../provenance.ts';
import { event } from './event-declaration.ts';

const binding = {
  login: z.string().describe('Login of the SIP user').meta(chosen),
  domain: z.string().describe('Domain of the SIP user').meta(chosen),
  contact: z.string().describe('Contact URI of the device').meta(chosen),
  device: z.string().describe('Identifies the device among those of the SIP user').meta(chosen),
  expires: z.int().describe('Seconds until the registration ends; 0 where it has ended').meta(chosen),
  useragent: z.string().describe('User-Agent header of the device').meta(chosen),
};

export const registrarevents = {
  register: event('A device that was not registered has registered.', 'The first event of a registration.', binding),
  refresh: event('A registered device has registered again.', 'After `register`.', binding),
  unregister: event(
    'A registration was removed: by the device, by a change of the SIP user, or because the device did not answer.',
    'After `register`. The last event of a registration.',
    binding,
  ),
  expire: event(
    'A registration has expired: the device did not refresh it in time.',
    'After `register`. The last event of a registration.',
    binding,
  ),
};

export const modelevents = {
  data_changed: event(
    'A SIP user is reachable, or is no longer: its first device has registered, or its last registration has ended.',
    'Directly after the `register`, `unregister` or `expire` that caused it.',
    {
      collection: z.literal('sipuser_states').describe('Collection that has changed'),
      id: z.string().describe('Id of the SIP user').meta(chosen),
      username: z.string().describe('Login of the SIP user').meta(chosen),
      status: z.enum(['online', 'offline']).describe('`online`: at least one device is registered').meta(chosen),
    },
  ),
};
