/** The option that lists the origins whose pages the fronts serve. */
import { Option } from 'commander';
import { UsageError } from './failure.ts';

export function corsOption(): Option {
  return new Option('--cors <origin>', 'serve pages of this origin as well, such as https://app.example; repeatable')
    .argParser((text: string, origins: readonly string[]) => [...origins, originOf(text)])
    .default([], 'none');
}

/** As browsers send it. Any origin at all can't be listed: its pages would act for every user that is logged in. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (isWeb && url.origin === text.toLowerCase()) return url.origin;
  const meant = isWeb ? `; did you mean ${url.origin}?` : '';
  throw new UsageError(`--cors: expected an origin such as https://app.example, got "${text}"${meant}`);
}
