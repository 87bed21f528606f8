/**
 * Which messages a fault affects: `peer.*`, `dialog.originate`, `sip`, `sip CANCEL`, `sip 200`, `sip 200 INVITE`, `sip
 * 4*` between nodes; `INVITE`, `200`, `200 INVITE` with the world outside. A star matches any text.
 */
import { parseGlob } from '../../src/model/collection/slices.ts';
import { catalogue } from '../../src/model/protocol/catalogue.ts';
import { type SipMessage, sipMethods } from '../../src/model/sip/message.ts';

/** A predicate: the name matches one of the patterns. */
export function fits(patterns: readonly string[]): (name: string) => boolean {
  const globs = patterns.map((pattern) => parseGlob(pattern));
  return (name) => globs.some((glob) => glob?.matches(name));
}

/** The names of a SIP message: its method, or its status, alone or with the method. */
export function namesOfSip(message: SipMessage): string[] {
  return message.kind === 'request' ? [message.method] : [`${message.status}`, `${message.status} ${message.method}`];
}

/** The names of a message between nodes. */
export function namesOfMessage(type: string, body: unknown): string[] {
  return type === 'sip' ? [type, ...namesOfSip(body as SipMessage).map((name) => `${type} ${name}`)] : [type];
}

/** What was expected, for a pattern that can match no message between nodes; `undefined` if it can match one. */
export function unknownMessage(pattern: string): string | undefined {
  const [type = '', ...sip] = pattern.split(' ');
  const types = Object.keys(catalogue).filter(fits([type]));
  const isKnown = types.length > 0 && (sip.length === 0 || (types.includes('sip') && isSipName(sip.join(' '))));
  return isKnown ? undefined : 'a type of docs/reference/protocol.md, such as dialog.originate, peer.* or sip CANCEL';
}

export function unknownSipMessage(pattern: string): string | undefined {
  return isSipName(pattern) ? undefined : 'a method or a status of SIP, such as INVITE, 200, 4* or 200 INVITE';
}

/** Any status from 100 to 699 is valid. */
function isSipName(pattern: string): boolean {
  const [first = '', second] = pattern.split(' ');
  const isStatus = /^[1-6*][\d*]*$/.test(first);
  const isMethod = (text: string) => sipMethods.some(fits([text]));
  return second === undefined ? isStatus || isMethod(first) : isStatus && isMethod(second);
}
