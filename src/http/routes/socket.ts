/** The web socket for events, as an ordinary request meets it. (public) */
import { answerError } from '../answering.ts';
import type { Route } from '../route.ts';
import { socketPath } from '../socket-path.ts';

export const socketRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: socketPath,
    does: 'Opens a web socket for subscriptions to events (`Upgrade: websocket`; a session by header, cookie or `?token=`; `?subscribe=callevents.*` subscribes at once). What is said there: docs/events.md.',
    source: 'public',
    access: 'open',
    gives: {},
    refuses: [426],
    answer: () =>
      answerError(426, 'this is a web socket: expected Upgrade: websocket', {
        upgrade: 'websocket',
        connection: 'Upgrade',
      }),
  },
];
