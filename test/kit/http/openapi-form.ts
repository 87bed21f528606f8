/** The form of an OpenAPI document, version 3.2, as far as ours has parts; stricter than the standard where we can be. */

const sources = { enum: ['documented', 'public', 'chosen'] };
const schema = { type: ['object', 'boolean'] };
const content = {
  type: 'object',
  propertyNames: { pattern: '^[\\w*.+-]+/[\\w*.+-]+$' },
  additionalProperties: {
    type: 'object',
    required: ['schema'],
    properties: { schema, example: true },
    additionalProperties: false,
  },
};

const parameter = {
  type: 'object',
  required: ['name', 'in', 'required', 'schema', 'x-strowger-source'],
  properties: {
    name: { type: 'string', minLength: 1 },
    in: { enum: ['path', 'query'] },
    required: { type: 'boolean' },
    description: { type: 'string' },
    schema,
    'x-strowger-source': sources,
  },
  if: { properties: { in: { const: 'path' } } },
  // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
  then: { properties: { required: { const: true } } },
  additionalProperties: false,
};

const response = {
  type: 'object',
  required: ['description'],
  properties: { description: { type: 'string', minLength: 1 }, content, 'x-strowger-source': sources },
  additionalProperties: false,
};

const operation = {
  type: 'object',
  required: ['operationId', 'tags', 'summary', 'security', 'parameters', 'responses', 'x-strowger-source'],
  properties: {
    operationId: { type: 'string', pattern: '^[a-z][A-Za-z0-9_]*$' },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
    summary: { type: 'string', minLength: 1 },
    security: { type: 'array', items: { type: 'object' } },
    parameters: { type: 'array', items: parameter },
    requestBody: {
      type: 'object',
      required: ['required', 'content'],
      properties: { required: { type: 'boolean' }, content },
      additionalProperties: false,
    },
    responses: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[1-5]\\d\\d$' },
      additionalProperties: response,
    },
    'x-strowger-source': sources,
    'x-strowger-access': { type: 'string' },
    'x-strowger-same-as': { type: 'string' },
  },
  additionalProperties: false,
};

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

export const openApiSchema = {
  type: 'object',
  required: ['openapi', 'info', 'servers', 'paths', 'components'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.2\\.\\d+$' },
    info: { type: 'object', required: ['title', 'version'] },
    servers: { type: 'array', items: { type: 'object', required: ['url'] }, minItems: 1 },
    tags: { type: 'array', items: { type: 'object', required: ['name'] }, uniqueItems: true },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        properties: {
          ...Object.fromEntries(methods.map((method) => [method, operation])),
          // The fixed methods have fields of their own, and must not be here. (OpenAPI 3.2, Path Item Object)
          additionalOperations: {
            type: 'object',
            propertyNames: { not: { enum: methods.map((method) => method.toUpperCase()) } },
            additionalProperties: operation,
          },
        },
        additionalProperties: false,
      },
    },
    components: {
      type: 'object',
      required: ['schemas', 'securitySchemes'],
      properties: {
        schemas: { type: 'object', propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' }, additionalProperties: schema },
        securitySchemes: { type: 'object', additionalProperties: { type: 'object', required: ['type'] } },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

/** All values under a key, wherever in a document. */
export function allOf(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === key ? [inner] : allOf(inner, key)));
}
