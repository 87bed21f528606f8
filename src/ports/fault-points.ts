/** Whether something unlikely happens now, at a named point of the platform. */
import type { FaultPoint } from '../model/fault-points.ts';

export interface FaultPoints {
  fires(point: FaultPoint): boolean;
}

/** Nothing unlikely happens by itself. */
export const noFaultPoints: FaultPoints = { fires: () => false };
