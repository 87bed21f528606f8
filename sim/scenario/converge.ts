import type { Stage } from './stage.ts';
import type { Converge } from './step-schema.ts';
export async function converge(_stage: Stage, _wanted: Converge): Promise<readonly string[]> {
  return [];
}
