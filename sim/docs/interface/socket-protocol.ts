/** The reference of the web socket: how a client subscribes to events, and what holds. */
import { limits } from '../../../src/model/limits.ts';

const count = (value: number) => value.toLocaleString('en');

export function socketProtocolDocument(): string {
  return `# The web socket

Generated from the limits by \`npm run docs\`. The events that it sends: [events.md](events.md). *Public*: public facts about the platform
name it. *Chosen*: this product chose it.

${protocol}`;
}

const protocol = `## Connect

\`GET /ws\` with \`Upgrade: websocket\`, at any front. A session is needed: \`Authorization: Bearer <session_token>\`, or the parameter
\`?token=<session_token>\` (browsers cannot set headers here), or the cookie \`RSession\`, which counts only where \`Origin\` equals
\`Host\`. The access role \`user\` or \`admin\` is needed. A refused upgrade is answered with an HTTP status: 401, 403, 429 or 503. A
GET without an upgrade is answered 426. \`/ws?subscribe=callevents.*\` subscribes at once *(chosen)*.

Each message is a text with a JSON array: a name and an object *(public)*. A message that cannot be read is answered with an error,
and the socket stays open. The front handles the messages of one socket one after the other. It stops reading from a socket while
${limits.socketMessages} messages wait, or while its client has answers to read; it drops none. A message nests at most ${limits.jsonDepth} deep *(chosen)*.

## Subscribe

\`\`\`json
["subscribe", {"qid": 1, "id": "wall", "objects": "any", "events": ["callevents.dlg_start", "confevents.*"], "expires": 600}]
\`\`\`

| field | meaning | source |
|---|---|---|
| \`id\` | Names the subscription within its socket. Without it the front makes one and answers it | public, default chosen |
| \`objects\` | \`"any"\`, or an array of names: an event must be about one of them. Names are dialogid, inviteid, login, number, confid | public, names chosen |
| \`events\` | \`"<class>.<name>"\` or \`"<class>.*"\` of a class of [events.md](events.md). A name that is never sent is accepted: the platform has more of them than are public | public, accepting chosen |
| \`expires\` | Seconds, 1 to 86400, default 3600; **0 removes** the subscription | public, bounds chosen |
| \`qid\` | Number, or string of at most 256 characters; returned in the answer and in each notification | public |
| \`cursor\` | Of an answer or a notification: the subscription continues after it | chosen |
| \`exargs\`, \`classpath\` | Accepted without effect | public |

A known \`id\` with another \`expires\` than 0 **renews** the subscription. It keeps its position and ignores a \`cursor\`; \`objects\`,
\`events\` and \`qid\` change where they are given. A socket has at most ${limits.subscriptions} subscriptions, a user at one front 2,500 with 25,000 objects
and events, a front 10,000 with 100,000; a subscription beyond that is refused with 1503 *(chosen)*. The answer *(chosen)*:

\`\`\`json
["subscribe", {"qid": 1, "id": "wall", "result": "ok", "expires": 600, "cursor": "1~b2b-214.mjuohs01.5k~…"}]
["subscribe", {"qid": 1, "id": "wall", "result": "error", "error_code": 1400, "error_message": "events.0: expected …"}]
\`\`\`

\`"gap": true\` beside \`ok\`: events after the cursor are no longer kept; the client gets the kept ones. An error code is 1000 plus the
HTTP status that fits. A message that is no \`subscribe\` is answered with \`["error", {"error_code": 1400, "error_message": …}]\`.

## Notifications

\`\`\`json
["event", {"id": "wall", "qid": 1, "class": "callevents", "event": "dlg_start", "cursor": "1~…", "data": {"eventid": "…"}}]
["expired", {"id": "wall"}]
["gap", {"id": "wall", "qid": 1, "cursor": "1~…"}]
\`\`\`

| notification | when |
|---|---|
| \`event\` | An event matches the subscription. Each subscription that matches gets it once *(public)*. \`data\` has the fields of [the event](events.md) |
| \`expired\` | The subscription has expired *(chosen)* |
| \`gap\` | The client misses events after the last notification. While the socket stays open they are lost. Before a close with 1013 they are kept: a subscription with this \`cursor\` gets them *(chosen)* |

A subscription gets the events of the domain that the session is bound to when it subscribes. An administrator gets all of them, another
user only callevents of calls in which one of their own SIP users takes part *(chosen)*. The class \`ccsevents\` is
accepted and has no events.

## Guarantees

- The events of one source (an instance of b2b, conf, ivr or sr) arrive in order, each once. That holds when a callstore fails over, a
  link is cut, or a front loses messages: then they arrive late. Events of different sources have no order.
- A cursor says which events a client has received. It is valid at every front, after a reconnect, for as long as the sites keep the
  events after it (10,000 a site).
- A call whose b2b instance is gone ends with one \`dlg_dead\` from callstore.
- The end of registrations by a change of their SIP user is published by each registrar that ends them, under one \`eventid\`. A client gets it
  once; one that comes back with a cursor may get it again, from another site.
- A site that is out of reach sends nothing. Its events arrive when it is back.

## How a socket ends

| code | reason |
|---|---|
| 1001 | The front closes |
| 1008 | A message has more than ${count(limits.socketFragments)} fragments |
| 1009 | A message has more than ${limits.socketMessageBytes / 1024} KiB |
| 1011 | A message of the client caused an error, which is a bug; the log has its reference |
| 1013 | More than ${limits.socketQueueBytes / 1024} KiB wait to be read by the client. Each subscription gets a \`gap\` first |
| 4401 | The session is over: logged out at any site, or expired |
| none | The client answered no ping for ${limits.socketPingMs / 1_000} s, or read nothing for 30 s and the time that the data need at 8 KiB/s |

Where much waits for other clients too, the bound of 1013 is lower. An upgrade is refused with 503 while ${count(limits.socketsPerAddress)} sockets of the address of the
client, or ${count(limits.sockets)} of the front, are open. The numbers are \`socketQueueBytes\`, \`writeTimeMs\`, \`writeBytesPerSecond\`, \`socketsPerAddress\`
and \`sockets\` of [limits.md](limits.md), and can be set. Messages in either direction prolong the session *(public)*, and so do pings, except
for a session by cookie *(chosen)*.
`;
