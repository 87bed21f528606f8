// Generated from src/http/routes by `npm run docs`.
import type { RequestOptions } from '../../requests.ts';

export type RecordingsListAnswer = readonly {
  /** Site that keeps the files */
  readonly site: string;
  /** Recordings of the call at this site */
  readonly files: readonly {
    /** Name of the file */
    readonly name: string;
    /** Size in bytes */
    readonly size: number;
    /** Links */
    readonly _links: {
      /** The file */
      readonly self: {
        /** Path of the file */
        readonly href: string;
      };
    };
  }[];
}[];

export interface Recordings {
  /** Lists the recordings of a call of the domain by the sites that have any; the list is empty until the call has ended. (`GET /rest/v1/journal/calls/:inviteid/attachments`) */
  list(inviteid: string, options?: RequestOptions): Promise<RecordingsListAnswer>;
  /** Returns a recording of a call of the domain as WAV, or a range of it; with `attachment`, the browser saves it. (`GET /rest/v1/journal/calls/:inviteid/attachments/:name`) */
  download(inviteid: string, name: string, query?: { readonly attachment?: boolean | undefined }, options?: RequestOptions): Promise<Response>;
  /** Deletes a recording of a call of the domain permanently. (`DELETE /rest/v1/journal/calls/:inviteid/attachments/:name`) */
  delete(inviteid: string, name: string, options?: RequestOptions): Promise<void>;
  /** Deletes all recordings of a call of the domain permanently, at the reachable sites; `X-Missing-Sites` names the others. (`DELETE /rest/v1/journal/calls/:inviteid/attachments`) */
  deleteAll(inviteid: string, options?: RequestOptions): Promise<void>;
}
