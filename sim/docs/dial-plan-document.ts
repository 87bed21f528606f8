/** The reference of numbers: what a number leads to, and how the simulated devices and providers behave when it is called. */
import type { z } from 'zod';
import { announcementDelaysMs } from '../../src/machines/call/announcement.ts';
import { conferenceDelaysMs } from '../../src/machines/conference/conference.ts';
import { behaviourSchema, type TopologyDomain } from '../../src/model/topology/schema.ts';
import { type CallReaction, reactionOf } from '../outside/behaviour.ts';
import { loadTopology } from '../topology/load-topology.ts';

/** Last digits with a behaviour of their own, and one example of every other number. */
const examples = ['00', '01', '05', '09', '11', '12', '13', '14', '*486', '*603', '42'];

export function dialPlanDocument(): string {
  const { domains } = loadTopology('default').map.topology;
  return `# Numbers

Generated from the topology schema, the default topology and the simulated devices by \`npm run docs\`.

## What a number leads to

The domain data of the caller's domain resolve a number in this order. The first row that fits counts.

| order | the number is | it leads to |
|---|---|---|
| 1 | the \`phonenumber\` of a SIP user | all registered devices of the user, called at once |
| 2 | a feature code \`conference\` or \`videoconference\`, and two digits of room | the conference of that room, which begins when it is called |
| 2 | the \`number\` of an IVR script, or \`ivr-\` and its code | the script |
| 2 | a feature code \`ivr\`, and any digits | an announcement of ${announcementDelaysMs.play / 1_000} s |
| 3 | the \`login\` of a SIP user | all registered devices of the user |
| 4 | any other, in a domain with providers | the provider accounts of the domain, one after the other |
| | any other | nothing: the call ends with 404 |

Of several feature codes that fit, the longest prefix counts. \`number@domain\` of another domain is resolved there, without its provider
accounts; with the own domain it is the number, with a domain that is not here it leads to nothing. \`conf-<confid>\` is a conference by its id. With \`mode: sipuser\` only logins are looked up. (chosen)

A call that leads to a SIP user without a registered device ends with 480, a call to provider accounts that are all out of service with 503.
A call from a provider belongs to the account that its request URI or \`To\` names, else to the first account with this provider at the edge. It is
refused with 486 when all trunks of the account are in use, and with 503 when another edge has the account. (chosen)
A conference without participants ends after ${conferenceDelaysMs.come / 1_000} s.

## How a number behaves

Devices and providers are simulated. When a number is called, the first of these counts:

1. a behaviour set by the [control interface](control.md), \`PUT /strowger/v1/numbers/DOMAIN/NUMBER\`;
2. the \`numbers\` of its domain in the topology;
3. its last digits.

| number ends in | behaviour |
|---|---|
${examples.map((digits) => `| \`${digits}\` | ${reactionText(reactionOf(`10${digits}`))} |`).join('\n')}

\`00\` to \`09\`: the digit is the number of seconds. \`*\` and a status from 300 to 699: that status. \`42\` stands for every other number.

A behaviour in a topology or in the control interface has these fields:

| field | meaning |
|---|---|
${Object.entries(behaviourSchema.shape as Readonly<Record<string, z.ZodType>>)
  .map(([name, field]) => `| \`${name}\` | ${field.description ?? ''} |`)
  .join('\n')}

## The default topology

${domains
  .filter(({ sipusers }) => sipusers.length > 0)
  .map(domainSection)
  .join('\n')}`;
}

function domainSection({ name, sipusers, features, providers, numbers }: TopologyDomain): string {
  const codes = features.map(
    ({ prefix, type }) => `| \`${prefix}00\` to \`${prefix}99\` | ${type} | one room for each number |`,
  );
  const accounts = providers.map(
    ({ code, domain }) => `| any other | provider account ${code} at ${domain} | as above |`,
  );
  const users = sipusers.map(({ login, phonenumber, site, phones }) => {
    const reaction = reactionText(reactionOf(phonenumber, numbers[phonenumber]));
    const count = phones === 1 ? 'one device' : `${phones} devices`;
    return `| \`${phonenumber}\` | SIP user ${login}, ${count}${site === undefined ? '' : ` at ${site}`} | ${reaction} |`;
  });
  return `### ${name}

| number | leads to | behaviour |
|---|---|---|
${[...users, ...codes, ...accounts].join('\n')}
`;
}

function reactionText({ isSilent, ringMs, answerMs, status, redirect, hangupMs }: CallReaction): string {
  if (isSilent) return 'does not react';
  if (redirect !== undefined) return `redirects (${status}) to the same number ending in \`${redirect.slice(-2)}\``;
  if (status >= 300) return `refuses with ${status}`;
  if (answerMs === undefined) return 'rings and does not answer';
  const rings = ringMs === undefined ? '' : 'rings, ';
  const answers = answerMs === 0 ? 'answers at once' : `answers after ${answerMs / 1_000} s`;
  const ends = hangupMs === undefined ? 'talks until the call is ended' : `hangs up after ${hangupMs / 1_000} s`;
  return `${rings}${answers}, ${ends}`;
}
