/** A request as one would try it with curl: what must be given is there, with a value that fits. */
import { type Document, type Json, resolved } from './document.ts';
import type { Listed } from './operations.ts';

export function curlOf(document: Document, { method, path, operation }: Listed): string {
  const parts = ['curl', ...(method === 'GET' ? [] : ['-X', method])];
  if (operation.security.length > 0) parts.push('-H "authorization: Bearer $TOKEN"');
  parts.push(`"$BASE${path.replaceAll(/\{(\w+)\}/g, '$$$1')}"`);
  const { content = {} } = operation.requestBody ?? {};
  const [type] = Object.keys(content);
  if (type === undefined) return parts.join(' ');
  return `${parts.join(' ')} \\\n  ${bodyText(document, type, content[type] as { readonly schema: Json })}`;
}

function bodyText(document: Document, type: string, { schema }: { readonly schema: Json }): string {
  if (type === 'multipart/form-data') return '-F file=@music.wav';
  if (type !== 'application/json') return `-H 'content-type: ${type}' --data-binary @file`;
  const json = JSON.stringify(exampleOf(resolved(document, schema)));
  return `-H 'content-type: application/json' -d '${json.replaceAll("'", "'\\''")}'`;
}

/** Names whose values have a form that a schema says only as a pattern. */
const known: Readonly<Record<string, string>> = {
  ...{ from: '1001', to: '1002', referto: '1003', number: '1001', ip: '10.66.0.1', dtmf: '5', by: 'a' },
  ...{ domain: 'acme.root.test', login: 'admin', pwd: 'admin', timestartutc: '2030-01-01T09:00:00Z', folder: 'desk' },
};

/** A value with what a schema requires. Where it requires nothing of an object, its first field. */
function exampleOf(schema: Json, name = ''): unknown {
  const forms = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (forms !== undefined) return exampleOf(forms[0] ?? {}, name);
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (schema['default'] !== undefined) return schema['default'];
  switch (schema['type']) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return [exampleOf((schema['items'] ?? {}) as Json, name)];
    case 'integer':
    case 'number':
      return Math.max(Number(schema['minimum'] ?? 0), Math.min(60, Number(schema['maximum'] ?? 60)));
    case 'boolean':
      return true;
    default:
      return known[name] ?? 'text';
  }
}

function objectOf(schema: Json): Json {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>);
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  const given = properties.filter(([, each]) => each['not'] === undefined);
  const needed = given.filter(([name]) => required.has(name));
  const shown = needed.length > 0 ? needed : given.slice(0, 1);
  return Object.fromEntries(shown.map(([name, each]) => [name, exampleOf(each, name)]));
}
