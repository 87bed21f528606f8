/** All entities, and the other kinds of rows of the domain data. */
import { borderRule } from './border-rule.ts';
import { chatCampaign } from './chat-campaign.ts';
import type { Entity } from './entity.ts';
import { recordRule } from './record-rule.ts';
import { roleApp } from './role-app.ts';
import { contactGroup, integrationChannel, ivrScript, serviceScript } from './script-entities.ts';
import { selector, selectorParticipant, selectorTopology } from './selector.ts';
import { parkingFile, roleAppArchive, selectorFile } from './stored-file.ts';
import { sipUser, user } from './user.ts';

/** The entities of the interface. */
export const entities: readonly Entity[] = [
  user,
  roleApp,
  chatCampaign,
  recordRule,
  sipUser,
  selector,
  selectorParticipant,
  serviceScript,
  ivrScript,
  integrationChannel,
  contactGroup,
  borderRule,
];

/** The kinds for files: rows of domain data, but not entities of the interface. */
export const fileKinds: readonly Entity[] = [parkingFile, selectorFile, roleAppArchive];

/** The kinds in a document of a domain: the entities of the interface, and their children that are not files. */
export const documentKinds: readonly Entity[] = [...entities, selectorTopology];

/** All kinds of rows. */
export const rowKinds: readonly Entity[] = [...documentKinds, ...fileKinds];

const byKind = new Map(rowKinds.map((entity) => [entity.kind, entity]));

export function isKind(kind: string): boolean {
  return byKind.has(kind);
}

export function isFileKind(kind: string): boolean {
  return fileKinds.some((each) => each.kind === kind);
}

export function entityOf(kind: string): Entity {
  const found = byKind.get(kind);
  if (found === undefined) throw new Error(`no entity "${kind}"`);
  return found;
}

/** The entities whose items belong to items of this one, and are removed with them. */
export function childrenOf({ kind }: Entity): Entity[] {
  return rowKinds.filter(({ parent }) => parent?.kind === kind);
}
