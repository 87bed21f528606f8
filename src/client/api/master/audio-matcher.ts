// Generated from src/http/routes by `npm run docs`.
import type { RequestOptions } from '../../requests.ts';

export interface AudioMatcherReloadBody {
  /** `reload`: load the reference samples again; absent: no action */
  readonly action?: 'reload' | undefined;
  /** Only matchers of these sites; absent: of all */
  readonly sites?: readonly string[] | undefined;
  /** Only matchers of these nodes; absent: of all */
  readonly nodes?: readonly string[] | undefined;
}

export type AudioMatcherStatusAnswer = Readonly<Record<string, readonly {
  /** State of the matcher */
  readonly info: {
    /** The matcher has samples to compare with */
    readonly is_loaded: boolean;
    /** Its folder differs from the loaded samples */
    readonly is_reload_needed: boolean;
    /** Folder of the reference samples */
    readonly samples_dir: string;
    /** Calls whose announcement it compares now */
    readonly jobs_count: number;
  };
  /** Node of the matcher */
  readonly node: string;
}[]>>;

export interface AudioMatcher {
  /** Starts reloading the samples of the audio matchers in scope; does not wait for the end. (`POST /rest/v1/master/audiomatcher`) */
  reload(body: AudioMatcherReloadBody, options?: RequestOptions): Promise<'ok'>;
  /** Shows the state of the audio matchers in scope, by site. (`GET /rest/v1/master/audiomatcher/status`) */
  status(query?: { readonly sites?: string | readonly string[] | undefined; readonly nodes?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<AudioMatcherStatusAnswer>;
}
