/** The applications that a session offers, as the metadata of its solution lists them. */
import { z } from 'zod';

/** An application. Further fields of the metadata file are kept. (documented) */
export const webAppsSchema = z.array(
  z.looseObject({
    name: z.string(),
    description: z.string(),
    order: z.int(),
    icon: z.string(),
    'fa-icon': z.string(),
    roles: z.array(z.string()),
    url: z.string(),
  }),
);

export type WebApp = z.infer<typeof webAppsSchema>[number];

/** The applications of a solution, by display order. */
export type WebApps = (solution: string) => readonly WebApp[];
