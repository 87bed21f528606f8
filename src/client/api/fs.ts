// Generated from src/http/routes by `npm run docs`.
import type { Content, Files, Filter, ListQuery, RequestOptions } from '../operation-types.ts';

export interface ParkingFilesItem {
  /** Name of the file */
  readonly name: string;
  /** Size in bytes */
  readonly size: number;
  /** When the file was last written, as `YYYY-MM-DD hh:mm:ss`, UTC */
  readonly last_modified: string;
}

export interface ParkingFilesUploadAnswer {
  /** Files that were saved */
  readonly saved: readonly {
    /** Name of the file */
    readonly name: string;
    /** Size in bytes */
    readonly size: number;
    /** When the file was last written, as `YYYY-MM-DD hh:mm:ss`, UTC */
    readonly last_modified: string;
  }[];
  /** Files that were not saved; the files of that name stay as they are */
  readonly refused: readonly {
    /** Name of the file */
    readonly name: string;
    /** 1000 + the status that a request for this file alone would get */
    readonly error_code: number;
    /** Why the file was not saved */
    readonly error_message: string;
  }[];
}

export interface ParkingFiles {
  /** Lists the parking files of the domain. (`GET /rest/v1/fs/targets/parking`) */
  list<M extends keyof ParkingFilesItem = keyof ParkingFilesItem>(query?: ListQuery<ParkingFilesItem, M>, options?: RequestOptions): Promise<readonly Pick<ParkingFilesItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<ParkingFilesItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Saves the files of a `multipart/form-data` under their names; an existing file is not replaced, and its upload refused. (`POST /rest/v1/fs/targets/parking`) */
  upload(files: Files, options?: RequestOptions): Promise<ParkingFilesUploadAnswer>;
  /** Returns a parking file or a range of it; with `attachment`, the browser saves it. (`GET /rest/v1/fs/targets/parking/:name`) */
  download(name: string, query?: { readonly attachment?: boolean | undefined }, options?: RequestOptions): Promise<Response>;
  /** Creates or replaces a parking file, from the first file of a `multipart/form-data` (its own name is ignored) or the raw body. A part of a file (`Content-Range`) is refused. (`PUT /rest/v1/fs/targets/parking/:name`) */
  put(name: string, content: Content, options?: RequestOptions): Promise<ParkingFilesItem>;
  /** Removes a parking file. (`DELETE /rest/v1/fs/targets/parking/:name`) */
  delete(name: string, options?: RequestOptions): Promise<void>;
}

export interface SelectorFiles {
  /** Lists the files of meetings of the domain. (`GET /rest/v1/fs/targets/selector`) */
  list<M extends keyof ParkingFilesItem = keyof ParkingFilesItem>(query?: ListQuery<ParkingFilesItem, M>, options?: RequestOptions): Promise<readonly Pick<ParkingFilesItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<ParkingFilesItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Saves the files of a `multipart/form-data` under their names; an existing file is not replaced, and its upload refused. (`POST /rest/v1/fs/targets/selector`) */
  upload(files: Files, options?: RequestOptions): Promise<ParkingFilesUploadAnswer>;
  /** Returns a file of meetings or a range of it; with `attachment`, the browser saves it. (`GET /rest/v1/fs/targets/selector/:name`) */
  download(name: string, query?: { readonly attachment?: boolean | undefined }, options?: RequestOptions): Promise<Response>;
  /** Creates or replaces a file of meetings, from the first file of a `multipart/form-data` (its own name is ignored) or the raw body. A part of a file (`Content-Range`) is refused. (`PUT /rest/v1/fs/targets/selector/:name`) */
  put(name: string, content: Content, options?: RequestOptions): Promise<ParkingFilesItem>;
  /** Removes a file of meetings. (`DELETE /rest/v1/fs/targets/selector/:name`) */
  delete(name: string, options?: RequestOptions): Promise<void>;
}
