/** The scope parameters of edge-role requests, as the query string has them. */
import { FaultError, fault } from '../model/fault.ts';
import { type ScopeParams, scopeNames } from '../services/scope.ts';
import { paramsOf } from './reading.ts';

export function readScope(url: string): ScopeParams {
  if (!url.includes('?')) return {};
  return scopeIn(paramsOf(url));
}

/** The scope of a request that changes something: a misspelt parameter must not make it a request to everybody. (chosen) */
export function readScopeOfChange(url: string): ScopeParams {
  const params = paramsOf(url);
  for (const name of params.keys()) {
    if ((scopeNames as readonly string[]).includes(name)) continue;
    throw new FaultError(fault('invalid', `${name}: no such parameter here; there are ${scopeNames.join(', ')}`));
  }
  return scopeIn(params);
}

function scopeIn(params: URLSearchParams): ScopeParams {
  const read: { -readonly [N in keyof ScopeParams]: string } = {};
  for (const name of scopeNames) {
    const values = params.getAll(name);
    if (values.length > 1) throw new FaultError(fault('invalid', `${name}: given twice`));
    if (values[0] !== undefined) read[name] = values[0];
  }
  return read;
}
