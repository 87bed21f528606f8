// Generated from src/http/routes by `npm run docs`.
import type { RecordingsListAnswer } from './recordings.ts';
import type { RequestOptions } from '../../requests.ts';

export interface OwnRecordings {
  /** Lists the recordings of a call in which your own SIP users took part by the sites that have any; the list is empty until the call has ended. (`GET /rest/v1/journal/calls_by_participation/:inviteid/attachments`) */
  list(inviteid: string, options?: RequestOptions): Promise<RecordingsListAnswer>;
  /** Returns a recording of a call in which your own SIP users took part as WAV, or a range of it; with `attachment`, the browser saves it. (`GET /rest/v1/journal/calls_by_participation/:inviteid/attachments/:name`) */
  download(inviteid: string, name: string, query?: { readonly attachment?: boolean | undefined }, options?: RequestOptions): Promise<Response>;
  /** Deletes a recording of a call in which your own SIP users took part permanently. (`DELETE /rest/v1/journal/calls_by_participation/:inviteid/attachments/:name`) */
  delete(inviteid: string, name: string, options?: RequestOptions): Promise<void>;
  /** Deletes all recordings of a call in which your own SIP users took part permanently, at the reachable sites; `X-Missing-Sites` names the others. (`DELETE /rest/v1/journal/calls_by_participation/:inviteid/attachments`) */
  deleteAll(inviteid: string, options?: RequestOptions): Promise<void>;
}
