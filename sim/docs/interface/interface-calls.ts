/** The part of the interface's reference that is about calls, conferences, registrations, call records and recordings. */

import { callKeys, conferenceKeys } from '../../../src/model/call-request-bodies.ts';
import { limits } from '../../../src/model/limits.ts';
import { tones } from '../../../src/model/recording/sound.ts';

const longest = `1 to ${limits.callTimeoutSeconds}`;
const ownKeys = conferenceKeys.filter((key) => !(callKeys as readonly string[]).includes(key));

export const callConventions = `## Calls

X is called, and when X has answered it is connected with Y. \`POST …/calls\` has IVR call X and refer it to Y (flow documented);
\`INVITE …/calls\` calls both as two legs (chosen). Both take:

| field | meaning |
|---|---|
| \`from\`, \`to\` | numbers of X and Y; \`1002@globex.root.test\` dials in another domain |
| \`mode\` | what \`from\` is: \`number\` (default), or \`sipuser\`: a login |
| \`callerid\`, \`callername\` | shown to X; default: \`from\` |
| \`timeout\` | seconds that X may ring, ${longest}, default 30 |
| \`label\` | attached to the call, at most ${limits.labelChars} characters |
| \`response_mode\` | when to answer, default 1 (values chosen) |

| response_mode | answered when | fields beside \`result\` |
|---|---|---|
| 0 | it is queued | \`ivrcallid\` |
| 1 | X answered, or the call to X failed | \`ivrcallid\` |
| 2 | Y answered, also provisionally | and \`acallid\`, \`last_response\`, \`dialogid\` |
| 3 | Y answered or failed for good | and \`bcallid\` |

\`result\`: \`ok\`; \`failed\`, \`redirected\`, \`timeout\`, \`no_answer\` (of the call to X); \`unknown\` (X answered, the state of the call to Y is not
known). Only \`ok\` is documented. It says that X has answered, with \`response_mode\` 0 only that the call is queued. The outcome of the
call to Y is in \`last_response\`, its last status line: the answer to a call that Y refuses is
\`{"result":"ok","last_response":"SIP/2.0 486 Busy Here", …}\`. \`INVITE\` gives no \`ivrcallid\`; \`INVITEBYIVR\`, by which an IVR script
serves the call, gives the Call-Id of X.

A call has two \`legs\`, that of side a first, or more while several devices of side b ring. \`expirets\` of a leg of side b is a number:
the milliseconds until a time limit ends it (while it rings that of the callee, then the shorter one of both parties, else that of the
platform). For side a it is the text \`undefined\` (documented).

LOOKUP takes an object with one of \`${callKeys.join('`, `')}\`; \`mode\` says whether \`from\` is a \`number\` or a \`sipuser\`.
Of several keys the first in this order decides. 404 \`Lookup failed\` when nothing matches.

| verb on a call | body | answer beside \`dialogid\`, \`result\` |
|---|---|---|
| REFER | \`{by, referto, response_mode?, label?}\` | \`referdialogid\`, \`ivrcallid\`, \`acallid\`, \`bcallid\`, \`last_response\`, as far as known |
| REFERREPLACES | \`{by, dialogid}\` | |
| SWITCHCONF | \`{}\`, or none | \`confid\` |
| REFERCONF | \`{by, confid}\` | \`confid\` |
| NOTIFY | \`{to: "a" or "b", event: "talk" or "hold"}\` | |
| SEND_DTMF | \`{to, dtmf}\`: one of \`0-9 * # A-D\` | |
| SETUP_RECORD | \`{action: "start" or "stop"}\`: each stretch is a recording | |
| SETUP_ASR | \`{side: "a" or "b", action: "start" or "stop"}\`: what the party says is sent as \`callevents.transcription\` | |
| SETUP_BINDINGS | \`{add?, remove?}\`: arrays of labels | \`bindings\` |
| DELETE | none | |

A command that changes nothing is answered like any other (chosen):

- SETUP_RECORD and SETUP_ASR with \`start\` while it is under way, which goes on, and with \`stop\` while it is not;
- SETUP_BINDINGS with \`{}\`, with \`add\` of labels that the call has, and with \`remove\` of labels that it does not have; a label in both
  \`add\` and \`remove\` is kept;
- NOTIFY with \`hold\` while the device holds, and with \`talk\` while it does not.

The answer to NOTIFY says that the event is sent to the device. A call does not show whether a party is on hold. A participant of a
conference does: its state is \`held\`, and one of a selector meeting has \`hold\` as well. A test can read \`isHolding\` and \`isHeld\` of a
phone's calls at the control interface ([\`GET /strowger/v1/phones\`](control.md#faults-numbers-phones-load)). (chosen)

Without a body these verbs are refused with 400; with 409 when the call does not allow them yet (chosen): SETUP_RECORD before the callee has
answered, SETUP_ASR, SEND_DTMF and NOTIFY before the party of the side has (NOTIFY with \`talk\` also reaches devices that ring), and above
${limits.bindings} labels or ${limits.recordings} recordings of a call.

\`by\` is the side that initiates, \`a\`, \`b\` or the URI of a party; its opponent is transferred. A side that has not answered can't be:
409. \`status\` of a call: \`init\`, \`forking\`, \`dialog\`, \`ending\`; one that is over is gone (404 \`Call/Participant not found\`).

Paths with \`calls_by_participation\` are limited to calls in which a SIP user takes part that is bound to the session's user
(\`iduser\`); calls that are started there must have such a SIP user as X or Y.

A list, or a LOOKUP, while a site that serves the domain does not answer: what the others have, and the header
\`X-Missing-Sites: south\`. A call that would be at such a site is not said to be over: 503. Commands are never sent twice. (chosen)

A call between two domains is at a site that serves both, where there is one in reach; else at one that serves the caller's
domain, and the other domain does not see it: lists, records and events are those of the sites that serve a domain. (chosen)

## Conferences

LOOKUP takes the keys of calls (a call of which one party is the conference), then \`${ownKeys.join('`, `')}\`.
\`uri\` and \`confuri\` are the same; an item has both, in lists too (the fields are documented as \`uri\`, the examples as \`confuri\`).
Participant \`state\`: \`calling\`, \`ringing\`, \`active\`, \`held\`, \`leaving\` (only \`active\` documented).
\`POST …/participants\` takes \`{to}\` and answers \`{confid, participantid}\` at once; DELETE of a conference answers \`{confid}\`.
\`…/topology\` is \`{"hears": {"<participantid>": ["<participantid>", …]}}\`: for each participant the ids of the participants that it hears. That of a selector meeting is changed at the meeting: 409.
There, \`…/selectors/<selector_id>/topology\` is what is planned, by ids of its participants, whether or not they are muted. That of its conference is
what is heard: no list has a participant whose \`mic\` is false, and the list of one whose \`spk\` is false is empty (chosen).

## Registrations, call records and recordings

\`sipuser_states\`: \`id\` and login (\`username\`) of a SIP user, and \`status\`, \`online\` while a device is registered. DELETE answers 204.

A call record: \`inviteid\`, \`dialogid\`, \`acallid\`, \`site\`, \`from\`, \`to\`, \`startts\`, \`answerts\` (null: not answered), \`endts\` (milliseconds
since 1970), \`durationms\`, \`talkms\`, \`type\` (how it ended), \`status\` and \`reason\` of SIP where there are any, \`participations\`, \`domains\`,
\`recordings\` (how many files there are). Without an \`order\` they come by \`endts\`. 404 \`Call record not found\` while the call lives, or where there was none.

A call is recorded when a [record rule](entities.md#recordrule) of its caller's domain says so as it connects or, where its callee is
of another domain, one of that domain (public); or by SETUP_RECORD. While it is, its \`opts\` have \`"recording": true\`. The files are there
once the call is over, listed by site, \`[{site, files: [{name, size, _links: {self: {href}}}]}]\`, for every session that may see its record,
at most ${limits.recordings} of a call: WAV, 8 kHz, 16 bit, stereo. Left is side a, a tone of ${tones.a} Hz, right is side b, ${tones.b} Hz; a side that is on hold is silent.
Of a b2b that dies they last until it died. While a site is away its entry is missing, and \`X-Missing-Sites\` names it; a file that
may be there is 503. DELETE (of an administrator) is for good: 204. Recordings go with the record of their call. (chosen)
`;
