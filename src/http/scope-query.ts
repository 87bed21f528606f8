/** The scope parameters of edge-role requests, as the query string has them. */
import { FaultError, fault } from '../model/fault.ts';
import { type ScopeParams, scopeNames } from '../services/scope.ts';
import { paramsOf } from './reading.ts';

export function readScope(url: string): ScopeParams {
  if (!url.includes('?')) return {};
  const params = paramsOf(url);
  const read: { -readonly [N in keyof ScopeParams]: string } = {};
  for (const name of scopeNames) {
    const values = params.getAll(name);
    if (values.length > 1) throw new FaultError(fault('invalid', `${name}: given twice`));
    if (values[0] !== undefined) read[name] = values[0];
  }
  return read;
}
