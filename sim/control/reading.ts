/** Reads what the control interface is told, as files are read: all that does not fit is said, with what was expected there. */
import { z } from 'zod';
import { readBody } from '../../src/http/reading.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { faultText, readValue } from '../read-value.ts';

/** The JSON body of a request, as `schema` has it. Throws an `invalid` fault. */
export async function readOrders<S extends z.ZodType>(request: Request, schema: S): Promise<z.infer<S>> {
  const read = readValue(schema, await readBody(request, z.unknown()));
  if (read.isSound) return read.value;
  throw new FaultError(fault('invalid', read.faults.map((each) => faultText(each, 'body')).join('; ')));
}
