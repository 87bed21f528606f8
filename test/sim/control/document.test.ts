/** The OpenAPI document of the control interface and its page. */

import { controlPath, controlRoutes } from '../../../sim/control/control.ts';
import type { ControlRequest } from '../../../sim/control/route.ts';
import type { Worlds } from '../../../sim/embed/hosting/worlds.ts';
import { test } from '../../kit/test.ts';

type Json = Readonly<Record<string, unknown>>;

type Content = Readonly<Record<string, { readonly example?: unknown }>>;

interface Shown extends Json {
  readonly summary: string;
  readonly parameters: readonly { readonly name: string; readonly description: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Shown>>>>;
  readonly components: { readonly schemas: Json };
}

/** Its document and its page ask no world. */
const routes = controlRoutes({} as Worlds);
const open = (path: string) => routes.find((each) => each.path === path)?.answer({} as ControlRequest<never>);
const document = open('/openapi.json') as Document;
const shownPath = (path: string) => `${controlPath}${path.replaceAll(/:(\w+)/g, '{$1}')}`;

test('every route is in the document and on the page, and again below the path of a world', async (t) => {
  const page = await (open('/docs') as Response).text();
  for (const { method, path, does, isCommon = false } of routes) {
    const shown = isCommon ? [shownPath(path)] : [shownPath(path), shownPath(`/worlds/:world${path}`)];
    for (const each of shown) {
      t.is(document.paths[each]?.[method.toLowerCase()]?.summary, does, `${method} ${each}`);
      t.true(page.includes(each), each);
    }
  }
});

test('every parameter and every field has a description', (t) => {
  const parameters = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap((operation) =>
      operation.parameters.filter(({ description }) => description === '').map(({ name }) => `${path} ${name}`),
    ),
  );
  t.deepEqual(parameters, []);
  t.deepEqual([...new Set(undescribed(document, ''))], []);
});

test('every body and every answer of JSON has an example', (t) => {
  const bare = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, responses }]) => {
      const given = Object.entries(responses).flatMap(([status, { content }]) => (status < '400' ? [content] : []));
      const contents = [requestBody?.content, ...given].flatMap((content) => content?.['application/json'] ?? []);
      return contents.some(({ example }) => example === undefined) ? [`${method} ${path}`] : [];
    }),
  );
  t.deepEqual(
    bare,
    ['openapi.json', 'docs'].map((name) => `get ${controlPath}/${name}`),
  );
});

/** Fields of schemas without a description, by their place. */
function undescribed(value: unknown, place: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, each]) => undescribed(each, `${place}/${key}`));
  const { properties } = value as { readonly properties?: Readonly<Record<string, Json>> };
  if (typeof properties !== 'object' || 'in' in value) return inner;
  const bare = Object.entries(properties).filter(([, schema]) => !isDescribed(schema));
  return [...bare.map(([name]) => `${place}/${name}`), ...inner];
}

function isDescribed({ description, $ref }: Json): boolean {
  if (typeof description === 'string' && description !== '') return true;
  const name = typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : '';
  return name !== '' && typeof (document.components.schemas[name] as Json | undefined)?.['description'] === 'string';
}
