/** The page of an OpenAPI document: each operation with its parameters, answers and an example for curl. */
import { html, raw } from 'hono/html';
import { finished, type Sliced } from '../../model/collection/slices.ts';
import { type Provenance, sourceKey } from '../../model/provenance.ts';
import { type Document, type Json, type OpenApiOperation, operationSteps, resolved } from './document.ts';
import { type FieldRow, fieldsOf, type ListedOperation, operationsIn, typeText } from './operations.ts';
import { iconLink, script, style } from './page-assets.ts';

export function curlOf(document: Document, { method, path, operation }: ListedOperation): string {
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

/** Examples for names whose format a schema gives only as a pattern. */
const known: Readonly<Record<string, string>> = {
  ...{ from: '1001', to: '1002', referto: '1003', number: '1001', ip: '10.66.0.1', dtmf: '5', by: 'a' },
  ...{ domain: 'acme.root.test', login: 'admin', pwd: 'admin', timestartutc: '2030-01-01T09:00:00Z', folder: 'desk' },
};

/** An example with the required fields; if an object has none, with its first field. */
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

type Markup = ReturnType<typeof html>;

/** The parts of a page that are about its interface. */
export interface PageAbout {
  readonly title: string;
  /** Path of the document. */
  readonly openApi: string;
  readonly introduction: Markup;
}

export function pageOf(document: Document, about?: PageAbout): string {
  return finished(pageInSteps(document, about));
}

/** Stops after each operation. */
export function* pageInSteps(document: Document, about = platformPage()): Sliced<string> {
  const operations = operationsIn(document);
  const tags = document.tags.map((tag) => String(tag['name']));
  const sections = tags.map((tag) => ({
    tag,
    listed: operations.filter(({ operation }) => operation.tags[0] === tag),
  }));
  const texts = new Map<string, Markup>();
  for (const each of operations) {
    texts.set(each.operation.operationId, raw(String(operationText(document, each))));
    yield operationSteps;
  }
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${about.title}</title>
${raw(iconLink)}
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the operations</a>
${contentsText(sections, about)}
<main id="content" tabindex="-1">
${about.introduction}
${sections.map(({ tag, listed }) => html`<section><h2 id="${slug(tag)}">${tag}</h2>${listed.map(({ operation }) => texts.get(operation.operationId) ?? '')}</section>`)}
</main>
<script>${raw(script)}</script>
</body>
</html>
`;
  return String(page);
}

interface Section {
  readonly tag: string;
  readonly listed: readonly ListedOperation[];
}

/** The filter and the sections, which stay in view. */
function contentsText(sections: readonly Section[], { openApi }: PageAbout): Markup {
  const links = sections.map(
    ({ tag, listed }) => html`<li><a href="#${slug(tag)}">${tag}</a> <small>${listed.length}</small></li>`,
  );
  return html`<header>
<h1>Strowger</h1>
<div class="search"><input type="search" id="filter" placeholder="Filter: calls REFER" aria-label="Filter operations by method, path, summary or field"></div>
<p id="count" role="status"></p>
<nav aria-label="Sections"><details id="sections" open><summary>Sections</summary><ul>${links}</ul>
<p><a href="${openApi}">openapi.json</a></p></details></nav>
</header>`;
}

function platformPage(): PageAbout {
  return { title: 'Strowger: the interface', openApi: '/openapi.json', introduction: introduction() };
}

function introduction(): Markup {
  const login = `{"domain":"root.test","login":"admin","pwd":"admin","session_type":"token"}`;
  return html`<p>The management interface of a simulated telephony platform. Each operation, parameter and field has a source, which
says how far the real platform can be expected to agree: ${badge('documented')} the platform documents it,
${badge('public')} public facts name it, ${badge('chosen')} this product chose it.</p>
<p>A request shows its session by the header <code>Authorization: Bearer &lt;session_token&gt;</code> or the cookie
<code>RSession</code>. The header wins. An error has the body
<code>{"error_code": 1000 + status, "error_message": "…"}</code>. Fields marked <sup>*</sup> are required.</p>
<p>The examples need an address and a token. <code>root.test</code> is the master domain; for what belongs to a working domain, log
in there, such as at <code>acme.root.test</code>. The key <code>/</code> moves to the filter, Enter from there to the first match.</p>
<pre>BASE=<span id="origin">…</span>
TOKEN=$(curl -s "$BASE/rest/v1/iam/sessions" -H 'content-type: application/json' \\
  -d '${login}' | sed 's/.*"session_token":"\\([^"]*\\)".*/\\1/')</pre>`;
}

function operationText(document: Document, { method, path, operation }: ListedOperation): Markup {
  const { summary, operationId: id, parameters, requestBody, responses } = operation;
  const source = operation['x-strowger-source'];
  const alias = operation['x-strowger-same-as'];
  return html`<details id="${id}">
<summary><span class="method m-${method.toLowerCase()}">${method}</span> <code>${path}</code> ${badge(source)}
<span class="does">${prose(summary)}</span></summary>
<p>Access: ${operation['x-strowger-access']}.${alias === undefined ? '' : html` Another name of <code>${alias}</code>.`} <a href="#${id}">Link to ${method} ${path}</a></p>
${parameters.length === 0 ? '' : html`<h3>Parameters</h3>${parameterTable(operation)}`}
${requestBody === undefined ? '' : html`<h3>Body${requestBody.required ? '' : ' (optional)'}</h3>${contentText(document, requestBody.content, source)}`}
<h3>Responses</h3>${answersText(document, operation)}
${refusals(Object.entries(responses).filter(([status]) => Number(status) >= 400))}
<h3>Example</h3><pre>${curlOf(document, { method, path, operation })}</pre>
</details>`;
}

function parameterTable({ parameters }: OpenApiOperation): Markup {
  const rows = parameters.map(({ name, in: location, schema, description = '', ...more }) => {
    const source = more['x-strowger-source'];
    return html`<tr><td><code>${name}</code></td><td>${location}, ${typeText(schema)}</td><td>${prose(description)}</td><td>${badge(source)}</td></tr>`;
  });
  return tableOf('parameter', rows);
}

function answersText(document: Document, { responses, 'x-strowger-source': source }: OpenApiOperation): Markup {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return html`${good.map(([status, answer]) => html`<p><b>${status}</b> ${String(answer['description'])}</p>${contentText(document, (answer['content'] ?? {}) as Json, source)}`)}`;
}

function refusals(bad: readonly (readonly [string, Json])[]): Markup {
  const lines = bad.map(([status, { description, ...more }]) => {
    const source = String(more[sourceKey]);
    return html`<li><b>${status}</b> ${String(description)} ${badge(source)}</li>`;
  });
  return html`<ul class="refusals">${lines}</ul>`;
}

function contentText(document: Document, content: Json, source: Provenance): Markup {
  const kinds = Object.entries(content as Readonly<Record<string, { readonly schema: Json }>>).map(
    ([type, { schema: shown }]) => {
      if (type !== 'application/json') return html`<p><code>${type}</code></p>`;
      const schema = resolved(document, shown);
      const rows = fieldsOf(schema, { source });
      return rows.length === 0 ? html`<p>JSON: ${typeText(schema)}</p>` : html`${listNote(schema)}${fieldTable(rows)}`;
    },
  );
  return html`${kinds}`;
}

function listNote(schema: Json): Markup | string {
  const isList = typeText(schema).startsWith('array of');
  return isList ? html`<p>An array of:</p>` : '';
}

function fieldTable(rows: readonly FieldRow[]): Markup {
  const lines = rows.map(
    ({ name, type, isRequired, does, source }) =>
      html`<tr><td><code>${name}</code>${isRequired ? html`<sup title="required">*</sup>` : ''}</td><td>${type}</td><td>${prose(does)}</td><td>${badge(source)}</td></tr>`,
  );
  return tableOf('field', lines);
}

function tableOf(what: string, rows: readonly Markup[]): Markup {
  return html`<table><thead><tr><th>${what}</th><th>type</th><th>meaning</th><th>source</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** Renders text between backticks as code. */
function prose(text: string): Markup {
  const parts = text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));
  return html`${parts}`;
}

function badge(source: string): Markup {
  return html`<span class="badge ${source}">${source}</span>`;
}

function slug(tag: string): string {
  return `tag-${tag.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
}
