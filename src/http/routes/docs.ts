/** What the interface says of itself: its OpenAPI document, the same as a page, and the icon of that. (chosen) */

import type { RouteDefinition } from '../contract.ts';
import { openApiOf } from '../openapi/document.ts';
import { pageOf } from '../openapi/page.ts';
import { icon } from '../openapi/page-assets.ts';
import { answerMarkup, answerVersioned } from '../responses.ts';

const common = { method: 'GET', source: 'chosen', access: 'open', isTool: true } as const;

/** `routes`: those that are documented. Document and page are made at the first request for them. */
export function documentRoutes(routes: readonly RouteDefinition[]): readonly RouteDefinition[] {
  const all: RouteDefinition[] = [
    {
      ...common,
      path: '/openapi.json',
      does: 'Gives the OpenAPI document of this interface.',
      gives: { 200: { media: ['application/json'], does: 'OpenAPI 3.2' }, 304: 'nothing' },
      answer: ({ request }) => answerVersioned(request, 'application/json; charset=utf-8', document()),
    },
    {
      ...common,
      path: '/docs',
      does: 'Shows the OpenAPI document as a page.',
      gives: { 200: { media: ['text/html'], does: 'The page' } },
      answer: () => answerMarkup(page()),
    },
    {
      ...common,
      path: '/favicon.ico',
      does: 'Gives the icon that browsers show for pages of this front.',
      gives: { 200: { media: ['image/svg+xml'], does: 'The icon' }, 304: 'nothing' },
      answer: ({ request }) => answerVersioned(request, 'image/svg+xml', icon),
    },
  ];
  const openApi = once(() => openApiOf([...routes, ...all]));
  const document = once(() => JSON.stringify(openApi()));
  const page = once(() => pageOf(openApi()));
  return all;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
