/** The typed client: `import { createClient } from 'strowger/client'` (docs/reference/client.md). */
export type * from './api/api.ts';
export { type Attempt, type Client, type ClientOptions, type Credentials, createClient } from './client.ts';
export { ApiError, type ApiErrorKind, type Outcome } from './errors.ts';
export {
  type EventGap,
  EventStream,
  type EventStreamOptions,
  type PlatformEvent,
  type StreamItem,
  SubscriptionRefused,
} from './event-stream.ts';
export type {
  Content,
  Files,
  Filter,
  FilterExpression,
  ItemQuery,
  ListQuery,
  RequestOptions,
  WithConnected,
} from './requests.ts';
export type { ClientSocket, OpenSocket } from './sockets.ts';
