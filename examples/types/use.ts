/** Types of the interface, generated from the document in OpenAPI 3.1: `npx openapi-typescript openapi.json -o models.ts`. */
import type { components, paths } from './models.ts';

type JsonOf<A extends { content: { 'application/json': unknown } }> = A['content']['application/json'];

type Create = paths['/rest/v1/uc/calls']['post'];
type Lookup = paths['/rest/v1/uc/calls#LOOKUP']['post'];
type Refer = paths['/rest/v1/uc/calls/{dialogid}#REFER']['post'];

export const call: JsonOf<Create['requestBody']> = { from: '1001', to: '1002', response_mode: 3 };
export const found: JsonOf<Lookup['responses'][200]> = ['216-1-1'];
export const transfer: JsonOf<Refer['requestBody']> = { by: 'a', referto: '1003' };
export const dialogOf = (answer: JsonOf<Create['responses'][200]>) => answer.dialogid;
export const messageOf = (error: components['schemas']['Error']): string => error.error_message;

// @ts-expect-error a number is a text
export const wrong: JsonOf<Create['requestBody']> = { from: 1001, to: '1002' };
