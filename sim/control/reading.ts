/** Reads what the control interface is told, as files are read: all that does not fit is said, with what was expected there. */
import { z } from 'zod';
import { readBody } from '../../src/http/reading.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { faultText, readValue } from '../read-value.ts';

/** The JSON body of a request, as `schema` has it. Throws an `invalid` fault. */
export async function readOrders<S extends z.ZodType>(request: Request, schema: S): Promise<z.infer<S>> {
  return (await readWritten(request, schema)).value;
}

/** The JSON body of a request, as `schema` has it and as the client wrote it. Throws an `invalid` fault. */
export async function readWritten<S extends z.ZodType>(
  request: Request,
  schema: S,
): Promise<{ value: z.infer<S>; written: unknown }> {
  const written = await readBody(request, z.unknown());
  const read = readValue(schema, written);
  if (read.isSound) return { value: read.value, written };
  throw new FaultError(fault('invalid', read.faults.map((each) => faultText(each, 'body')).join('; ')));
}
