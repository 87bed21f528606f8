/** Whether something unlikely happens now, at a named point of the platform. */
import type { FaultPoint } from '../model/fault-points.ts';

export interface FaultPoints {
  fires(point: FaultPoint): boolean;
}

/** Nothing unlikely happens by itself. */
export const noFaultPoints: FaultPoints = { fires: () => false };

/** The crash of an instance that was asked for, unlike one of a defect. */
export class InjectedCrash extends Error {}
