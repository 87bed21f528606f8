/** The interface about itself: its OpenAPI document, and a page of that to read. (chosen) */
import { answerMarkup, answerVersioned } from '../answering.ts';
import { openApiOf } from '../openapi/document.ts';
import { pageOf } from '../openapi/page.ts';
import type { Route } from '../route.ts';

const common = { method: 'GET', source: 'chosen', access: 'open', isTool: true } as const;

/** `routes`: those that are documented. Document and page are made when somebody asks for them first. */
export function documentRoutes(routes: readonly Route[]): readonly Route[] {
  const all: Route[] = [
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
      does: 'Shows the same as a page to read.',
      gives: { 200: { media: ['text/html'], does: 'The page' } },
      answer: () => answerMarkup(page()),
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
