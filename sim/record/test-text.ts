/** Traffic as a test with the typed client, for AVA or Vitest. */
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { isClientOperation, nameOf } from '../docs/client/names.ts';
import { routesFor } from '../scenario/checks/interface.ts';
import { masked, type Played, type PlayedStep } from './played.ts';

export interface TestAbout {
  readonly name: string;
  readonly target: string;
  readonly map: ClusterMap;
  readonly topology: string;
  readonly site: string;
  readonly framework: 'ava' | 'vitest';
}

export function testTextOf(played: Played, about: TestAbout): string {
  const { name, target, framework, map, site } = about;
  const saved = new Set<string>();
  const sessions = played.sessions.map(({ name: client, domain, login }) => {
    const pwd = map.domains.get(domain)?.users.find((user) => user.login === login)?.pwd ?? masked;
    return `  const ${client} = await cluster.client(${literal({ site, domain, login, pwd })});`;
  });
  const steps = played.steps.flatMap((step, index) => stepLines(step, { index, saved, framework }));
  const events = played.events.map((event) => `  await cluster.waitFor(${literal(event)});`);
  const body = [...sessions, ...steps, ...events].join('\n');
  const options = about.topology === 'default' ? '' : literal({ topology: about.topology });
  return framework === 'ava'
    ? `/** Recorded by strowger record in front of ${target}. */
import test from ${quoted('ava')};
import { clusterFor } from ${quoted('strowger/ava')};

test(${literal(name)}, async (t) => {
  const cluster = await clusterFor(t${options === '' ? '' : `, ${options}`});
${body}
});
`
    : `/** Recorded by strowger record in front of ${target}. */
import { clusterFixture } from ${quoted('strowger/vitest')};
import { expect, test as base } from ${quoted('vitest')};

const test = base.extend({ cluster: clusterFixture(${options}) });

test(${literal(name)}, async ({ cluster }) => {
${body}
});
`;
}

function quoted(name: string): string {
  return `'${name}'`;
}

interface Written {
  readonly index: number;
  /** Variables so far. */
  readonly saved: Set<string>;
  readonly framework: TestAbout['framework'];
}

function stepLines(step: PlayedStep, { index, saved, framework }: Written): string[] {
  const { method, target, as, status, expected, save, afterMs } = step;
  const call = callOf(step);
  const title = `${method} ${target}`;
  if (as === undefined || call === undefined)
    return [`  // left out: ${title}: ${as === undefined ? 'it has no session' : 'the client has no such operation'}`];
  const outcome = `outcome${index + 1}`;
  const isGood = status < 300;
  const wanted = isGood
    ? { ok: true, ...(typeof expected === 'object' && expected !== null && { value: expected }) }
    : { ok: false, error: { status } };
  const check =
    framework === 'ava'
      ? `t.like(${outcome}, ${literal(wanted)});`
      : `expect(${outcome}).toMatchObject(${literal(wanted)});`;
  const variables = Object.entries(save).map(([name, path]) => {
    saved.add(name);
    const access = path
      .split('.')
      .filter((part) => part !== '')
      .map((part) => (/^\d+$/.test(part) ? `?.[${part}]` : `?.${part}`));
    return `  const ${name} = ${outcome}.value${access.join('')};`;
  });
  const pause = afterMs === 0 ? [] : [`  await cluster.clock.advance('${Math.round(afterMs / 1_000)}s');`];
  return [...pause, `  const ${outcome} = await ${as}.attempt.${call};`, `  ${check}`, ...variables];
}

/** The call of the typed client: arguments for the path, the body and the query, in this order. */
function callOf({ method, target, body }: PlayedStep): string | undefined {
  const [path = '', query] = target.split('?', 2);
  const route = routesFor(method, path).find(isClientOperation);
  if (route === undefined) return undefined;
  const parts = path.split('/');
  const places = route.path
    .split('/')
    .flatMap((part, i) => (part.startsWith(':') ? [decodeURIComponent(parts[i] ?? '')] : []));
  const params = query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
  const hasBody = route.takes?.body !== undefined;
  const args = [...places, ...(hasBody ? [body] : []), ...(params === undefined ? [] : [queryOf(params)])];
  const { group, name } = nameOf(route);
  return `${group}.${name}(${args.map(literal).join(', ')})`;
}

/** The query as the client takes it: `filter` and `order` as values, `mask` as a list, numbers as numbers. */
function queryOf(params: Readonly<Record<string, string>>): object {
  const fields = Object.entries(params).map(([name, text]) => {
    if (name === 'mask') return [name, text.split(',')] as const;
    if (/^\d+$/.test(text) || /^[[{]/.test(text)) return [name, JSON.parse(text) as unknown] as const;
    return [name, text] as const;
  });
  return Object.fromEntries(fields);
}

/** A value as JavaScript; `$name` is the variable. */
function literal(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'string') return /^\$[A-Za-z]\w*$/.test(value) ? value.slice(1) : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
  const fields = Object.entries(value).map(
    ([key, each]) => `${/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)}: ${literal(each)}`,
  );
  return `{ ${fields.join(', ')} }`;
}
