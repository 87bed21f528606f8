/** The typed client: `import { createClient } from 'strowger/client'` (docs/reference/client.md). */
export type * from './api/api.ts';
export type { Events } from './api/events.ts';
export { type Attempt, type Client, type ClientOptions, type Credentials, createClient } from './client.ts';
export type { ClientSocket, OpenSocket } from './client-socket.ts';
export { ApiError, type ApiErrorKind, type Outcome } from './errors.ts';
export {
  type EventClass,
  type EventData,
  type EventGap,
  type EventName,
  type EventPattern,
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
} from './operation-types.ts';
