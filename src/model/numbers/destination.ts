/** What a caller dials: a number or a login, alone (`1002`) or with its domain (`1002@acme.root.test`). */
import { sipUri } from '../sip/uri.ts';

/** The domain in which a dialled text is to be found, and the number there. `domain`: the caller's. */
export function destinationOf(domain: string, dialled: string): { number: string; home: string } {
  const [number = '', home = domain] = dialled.split('@');
  return { number, home: home.toLowerCase() };
}

/** What is dialled to reach a SIP user, and shown of it: its phone number, or its login where it has none. */
export function numberOf({ phonenumber, login }: { readonly phonenumber: string; readonly login: string }): string {
  return phonenumber === '' ? login : phonenumber;
}

/** A dialled text as a URI. `domain`: the caller's. */
export function destinationUri(domain: string, dialled: string): string {
  const { number, home } = destinationOf(domain, dialled);
  return sipUri(number, home);
}
