/** The operations of an OpenAPI document, one after the other. */
import type { Document, Operation } from './document.ts';

export interface Listed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function operationsIn({ paths }: Document): Listed[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([key, value]) =>
      key === 'additionalOperations'
        ? Object.entries(value as Readonly<Record<string, Operation>>).map(([method, operation]) => ({
            method,
            path,
            operation,
          }))
        : [{ method: key.toUpperCase(), path, operation: value as Operation }],
    ),
  );
}
