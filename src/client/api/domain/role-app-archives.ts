// Generated from src/http/routes by `npm run docs`.
import type { Content, RequestOptions } from '../../requests.ts';

export interface RoleAppArchivesUploadAnswer {
  /** Size of the archive in bytes */
  readonly size: number;
  /** Number of files in the archive */
  readonly files: number;
  /** When the archive was uploaded, as `YYYY-MM-DD hh:mm:ss`, UTC */
  readonly last_modified: string;
}

export interface RoleAppArchives {
  /** Returns the archive of a role application, or a range of it. (`GET /rest/v1/domain/roleapps/:roleapp_id/attachment`) */
  download(roleappId: string, query?: { readonly attachment?: boolean | undefined }, options?: RequestOptions): Promise<Response>;
  /** Uploads the archive (zip) of a role application, raw or as the first file of a `multipart/form-data`. (`POST /rest/v1/domain/roleapps/:roleapp_id/attachment`) */
  upload(roleappId: string, content: Content, options?: RequestOptions): Promise<RoleAppArchivesUploadAnswer>;
  /** Uploads the archive of a role application, as POST does. (`PUT /rest/v1/domain/roleapps/:roleapp_id/attachment`) */
  put(roleappId: string, content: Content, options?: RequestOptions): Promise<RoleAppArchivesUploadAnswer>;
  /** Removes the archive of a role application, with its files. (`DELETE /rest/v1/domain/roleapps/:roleapp_id/attachment`) */
  delete(roleappId: string, options?: RequestOptions): Promise<void>;
}
