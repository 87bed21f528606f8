/** The OpenAPI document as a page to read: one file, with nothing from elsewhere. */
import { html, raw } from 'hono/html';
import { sourceKey } from '../../model/source.ts';
import { type Document, type Json, type Operation, resolved } from './document.ts';
import { curlOf } from './example.ts';
import { type FieldRow, fieldsOf, typeText } from './fields.ts';
import { type Listed, operationsIn } from './operations.ts';
import { script, style } from './page-assets.ts';

type Markup = ReturnType<typeof html>;

export function pageOf(document: Document): string {
  const operations = operationsIn(document);
  const tags = document.tags.map((tag) => String(tag['name']));
  const sections = tags.map((tag) => ({
    tag,
    listed: operations.filter(({ operation }) => operation.tags[0] === tag),
  }));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Strowger: the interface</title>
<style>${raw(style)}</style>
</head>
<body>
<nav>
<h1>Strowger</h1>
<input type="search" id="filter" placeholder="filter: calls REFER" aria-label="filter">
<ul>${sections.map(({ tag, listed }) => html`<li><a href="#${slug(tag)}">${tag}</a> <small>${listed.length}</small></li>`)}</ul>
<p><a href="/openapi.json">openapi.json</a></p>
</nav>
<main>
<p>The management interface of a simulated telephony platform. Each operation, parameter and field says what to trust:
${badge('documented')} the platform shows it, ${badge('public')} public facts name it, ${badge('chosen')} this product chose it.
A session is shown by <code>Authorization: Bearer &lt;session_token&gt;</code> or the cookie <code>RSession</code>. Errors are
<code>{"error_code": 1000 + status, "error_message": "…"}</code>.</p>
${sections.map(({ tag, listed }) => html`<section><h2 id="${slug(tag)}">${tag}</h2>${listed.map((each) => operationText(document, each))}</section>`)}
</main>
<script>${raw(script)}</script>
</body>
</html>
`;
  return String(page);
}

function operationText(document: Document, { method, path, operation }: Listed): Markup {
  const { summary, operationId: id, parameters, requestBody, responses } = operation;
  const alias = operation['x-strowger-same-as'];
  return html`<details id="${id}" data-words="${`${method} ${path} ${summary}`.toLowerCase()}">
<summary><span class="method m-${method.toLowerCase()}">${method}</span> <code>${path}</code> ${badge(operation['x-strowger-source'])}
<span class="does">${prose(summary)}</span></summary>
<p>For ${operation['x-strowger-access']}.${alias === undefined ? '' : html` Another name of <code>${alias}</code>.`} <a href="#${id}">Link</a></p>
${parameters.length === 0 ? '' : html`<h4>Parameters</h4>${parameterTable(operation)}`}
${requestBody === undefined ? '' : html`<h4>Body${requestBody.required ? '' : ' (may be left out)'}</h4>${contentText(document, requestBody.content)}`}
<h4>Answers</h4>${answersText(document, responses)}
<h4>Try</h4><pre>${curlOf(document, { method, path, operation })}</pre>
</details>`;
}

function parameterTable({ parameters }: Operation): Markup {
  const rows = parameters.map(({ name, in: place, schema, description = '', ...more }) => {
    const source = more['x-strowger-source'];
    return html`<tr><td><code>${name}</code></td><td>${place}</td><td>${typeText(schema)}</td><td>${prose(description)}</td><td>${badge(source)}</td></tr>`;
  });
  return html`<table><tr><th>name</th><th>in</th><th>type</th><th></th><th></th></tr>${rows}</table>`;
}

function answersText(document: Document, responses: Operation['responses']): Markup {
  const statuses = Object.entries(responses);
  const good = statuses.filter(([status]) => Number(status) < 400);
  const bad = statuses.filter(([status]) => Number(status) >= 400);
  return html`${good.map(([status, answer]) => html`<p><b>${status}</b> ${String(answer['description'])}</p>${contentText(document, (answer['content'] ?? {}) as Json)}`)}
${refusals(bad)}`;
}

function refusals(bad: readonly (readonly [string, Json])[]): Markup {
  const lines = bad.map(([status, { description, ...more }]) => {
    const source = String(more[sourceKey]);
    return html`<li><b>${status}</b> ${String(description)} ${source === 'chosen' ? '' : badge(source)}</li>`;
  });
  return html`<ul class="refusals">${lines}</ul>`;
}

function contentText(document: Document, content: Json): Markup {
  const kinds = Object.entries(content as Readonly<Record<string, { readonly schema: Json }>>).map(
    ([type, { schema: shown }]) => {
      if (type !== 'application/json') return html`<p><code>${type}</code></p>`;
      const schema = resolved(document, shown);
      const rows = fieldsOf(schema);
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
      html`<tr><td><code>${name}</code>${isRequired ? html`<sup title="required">*</sup>` : ''}</td><td>${type}</td><td>${prose(does)}</td><td>${source === undefined ? '' : badge(source)}</td></tr>`,
  );
  return html`<table><tr><th>field</th><th>type</th><th></th><th></th></tr>${lines}</table>`;
}

/** Words between backticks are code. */
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
