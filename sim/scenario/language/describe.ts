/** Renders steps, event matchers, workloads and expectations as text. */
import type { EventMatcher } from './event-matcher.ts';
import type { ScenarioFault } from './fault-schema.ts';
import { isSelector } from './places.ts';
import type { Expectation } from './request-schema.ts';
import type { ScenarioStep } from './steps.ts';
import type { Workload, WorkloadStep } from './workloads.ts';

/** The note of a step, or a description of its action. */
export function describe(step: ScenarioStep): string {
  return step.note ?? describeAction(step);
}

export function describeAction(step: ScenarioStep): string {
  const {
    wait,
    fault,
    request,
    look,
    dial,
    press,
    hangUp,
    stub,
    load,
    workload,
    converge,
    steps,
    parallel,
    repeat,
    when,
  } = step;
  if (wait !== undefined) return `wait ${wait} ms`;
  if (request !== undefined) {
    return `${request.method} ${request.path} through ${request.through}${withinText(step)}`;
  }
  if (look !== undefined) return `look at ${look}${withinText(step)}`;
  if (dial !== undefined) return `${dial.from} calls ${dial.to}`;
  if (press !== undefined) return `${press.from} presses ${press.digits}`;
  if (hangUp !== undefined) return `${hangUp} hangs up`;
  if (stub !== undefined) return `${stub.url} answers ${shown(stub.answer)}`;
  if (load !== undefined) return load.rate === 0 ? 'no more calls' : `${load.rate} calls a second`;
  if (workload !== undefined) return describeWorkload(workload).join(', ');
  if (converge !== undefined) {
    const { core, within } = converge;
    return `a core (the master site, ${core === 'random' ? 'others as drawn' : core.join(', ')}) is healed and converges within ${within} ms`;
  }
  if (fault !== undefined) return describeFault(fault);
  if (steps !== undefined) return `${steps.length} steps`;
  if (parallel !== undefined) return `${parallel.length} branches in parallel`;
  if (repeat !== undefined) return `${repeat.steps.length} steps, ${repeat.times} times`;
  return when === undefined ? 'nothing' : `wait for ${describeMatcher(when)}`;
}

function withinText({ expect }: ScenarioStep): string {
  return expect?.within === undefined ? '' : ` within ${expect.within} ms`;
}

export function describeFault(fault: ScenarioFault): string {
  return Object.entries(fault)
    .filter(([verb, on]) => verb !== 'name' && on !== undefined)
    .map(([verb, on]) => `${verb} ${isParts(on) ? partsText(on) : shown(on)}`)
    .join(', ');
}

/** The target of a verb comes first, then its other parameters by name. */
function partsText({ from, among, at, who, ...rest }: Readonly<Record<string, unknown>>): string {
  const first = [from ?? among ?? at, who].filter((part) => part !== undefined).map(shown);
  const more = Object.entries(rest)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => (value === true ? key : `${key} ${spans.has(key) ? `${value} ms` : shown(value)}`));
  return [...first, ...more].join(' ');
}

/** Fields in milliseconds. */
const spans: ReadonlySet<string> = new Set(['by', 'every', 'over']);

function isParts(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isSelector(value);
}

export function describeMatcher({ times = 1, ...matcher }: EventMatcher): string {
  const { event, message, state, log, answer, oracle, settled, status, method, machine, at } = matcher;
  const what = [
    event !== undefined && `event ${event}`,
    message !== undefined && `message ${[message, method, status].filter((part) => part !== undefined).join(' ')}`,
    state !== undefined && `${machine ?? 'a machine'} in state ${state}`,
    log !== undefined && `log ${log}`,
    answer !== undefined && `answer ${[status, 'to', method, answer].filter((part) => part !== undefined).join(' ')}`,
    oracle !== undefined && `oracle ${oracle} failing`,
    settled !== undefined && 'a settled cluster',
  ].filter((part) => part !== false);
  const text = what.length === 0 ? `an instance ${status}` : what.join(', ');
  return `${text}${at === undefined ? '' : ` at ${at}`}${times === 1 ? '' : ` (${times} times)`}`;
}

/** One line for each part. */
export function describeWorkload(workload: Workload | WorkloadStep): string[] {
  if (workload === 'none') return ['no more workload'];
  const { calls, requests, logins, changes, commands } = workload;
  const lines: string[] = [];
  if (calls !== undefined)
    lines.push(calls === 'none' ? 'no more calls' : `${calls.rate}/s calls of ${(calls.holding ?? 20_000) / 1_000} s`);
  if (requests === 'none') lines.push('no more requests');
  else
    for (const { rate, method, path, mix, through } of requests ?? [])
      lines.push(
        `${rate}/s ${method} ${path ?? Object.keys(mix ?? {}).join(' or ')} through ${through?.join(' or ') ?? 'any site'}`,
      );
  if (logins !== undefined)
    lines.push(logins === 'none' ? 'no more logins' : `${logins.rate}/s logins of ${logins.login} at ${logins.domain}`);
  if (changes === 'none') lines.push('no more changes');
  else for (const { rate, entity } of changes ?? []) lines.push(`${rate}/s changes of entity ${entity}`);
  if (commands !== undefined)
    lines.push(commands === 'none' ? 'no more commands' : `${commands.rate}/s commands to live calls and conferences`);
  return lines;
}

/** A parameter of a fault as text. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Object.entries(value).map(([key, part]) => `${key} ${shown(part)}`);
  return `(${parts.join(', ')})`;
}

type Item = NonNullable<Expectation['items']>[number];

/**
 * `status 200; 3 items; each where name is n1: status is unreachable`. The description of the request has the time
 * limit.
 */
export function describeExpectation({ status, headers, body, count, items = [] }: Expectation): string {
  return [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...Object.entries(headers ?? {}).map(([name, value]) =>
      value === null ? `no header ${name}` : `header ${name} is ${value}`,
    ),
    ...(body === undefined ? [] : [`in the body ${isFields(body) ? fieldsText(body) : valueText(body)}`]),
    ...(count === undefined ? [] : [itemsText(count)]),
    ...items.map(itemText),
  ].join('; ');
}

function itemText({ where, every, count }: Item): string {
  const picked = Object.keys(where).length === 0 ? '' : ` where ${fieldsText(where)}`;
  if (every === undefined) return `${itemsText(count ?? 1)}${picked}`;
  const number = count === undefined ? 'each' : `${itemsText(count)}, each`;
  return `${number}${picked}: ${fieldsText(every)}`;
}

function itemsText(count: number): string {
  return count === 1 ? '1 item' : `${count === 0 ? 'no' : count} items`;
}

function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name} is ${valueText(value)}`)
    .join(', ');
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[\w$.:/@-]+$/.test(value) ? value : JSON.stringify(value);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}
