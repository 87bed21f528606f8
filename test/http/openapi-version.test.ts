/** The document in OpenAPI 3.1 has every operation, the ones with methods of the platform included. */

import { type Document, openApiOf } from '../../src/http/openapi/document.ts';
import { operationsIn } from '../../src/http/openapi/operations.ts';
import { inVersion31 } from '../../src/http/openapi/version-31.ts';
import { routesOf } from '../../src/http/routes.ts';
import { test } from '../kit/test.ts';

const whole: Document = openApiOf(routesOf({ webApps: () => [] }));
const document = inVersion31(whole);
const standard = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];

test('every operation is there: one with a method of its own is the post of a path with a fragment', (t) => {
  t.is(document.openapi, '3.1.1');
  for (const { method, path, operation } of operationsIn(whole)) {
    const isStandard = standard.includes(method);
    const item = document.paths[isStandard ? path : `${path}#${method}`] as Record<string, object> | undefined;
    t.like(
      item?.[isStandard ? method.toLowerCase() : 'post'],
      { operationId: operation.operationId },
      `${method} ${path}`,
    );
    if (!isStandard) t.like(item?.['post'], { 'x-strowger-method': method });
  }
});

test('no path has additional operations, and no schema refers to itself', (t) => {
  const text = JSON.stringify(document);
  t.false(text.includes('additionalOperations'));
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    t.false(JSON.stringify(schema).includes(`"#/components/schemas/${name}"`), name);
  }
});
