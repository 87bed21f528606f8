/** The documentation of the interface: its OpenAPI document, a page of it, and its icon. (chosen) */

import type { Clock } from '../../ports/clock.ts';
import type { RouteDefinition } from '../contract.ts';
import { answerVersioned } from '../file-answers.ts';
import { icon } from '../openapi/page-assets.ts';
import { type InterfaceTexts, interfaceTexts } from '../openapi/texts.ts';
import { answerMarkup } from '../responses.ts';

const common = { method: 'GET', source: 'chosen', access: 'open', isTool: true } as const;

/** `routes`: the documented routes. Document and page are created on the first request. */
export function documentRoutes(routes: readonly RouteDefinition[]): readonly RouteDefinition[] {
  const all: RouteDefinition[] = [
    {
      ...common,
      path: '/openapi.json',
      does: 'Returns the OpenAPI document of this interface.',
      gives: { 200: { media: ['application/json'], does: 'OpenAPI 3.2' }, 304: 'nothing' },
      answer: async ({ ws, request }) => {
        const { document } = await texts(ws.scope.clock);
        return answerVersioned(request, 'application/json; charset=utf-8', document);
      },
    },
    {
      ...common,
      path: '/docs',
      does: 'Shows the OpenAPI document as a page.',
      gives: { 200: { media: ['text/html'], does: 'The page' } },
      answer: async ({ ws }) => answerMarkup((await texts(ws.scope.clock)).page),
    },
    {
      ...common,
      path: '/favicon.ico',
      does: 'Returns the icon that browsers show for pages of this front.',
      gives: { 200: { media: ['image/svg+xml'], does: 'The icon' }, 304: 'nothing' },
      answer: ({ request }) => answerVersioned(request, 'image/svg+xml', icon),
    },
  ];
  let made: Promise<InterfaceTexts> | undefined;
  const texts = (clock: Clock) => {
    made ??= interfaceTexts([...routes, ...all], clock);
    return made;
  };
  return all;
}
