/** All entities: the domain data. */
import { borderRule } from './border-rule.ts';
import { chatCampaign } from './chat-campaign.ts';
import type { Entity } from './entity.ts';
import { recordRule } from './record-rule.ts';
import { roleApp } from './role-app.ts';
import { selector } from './selector.ts';
import { selectorParticipant } from './selector-participant.ts';
import { sipUser } from './sip-user.ts';
import { user } from './user.ts';

export const entities: readonly Entity[] = [
  user,
  roleApp,
  chatCampaign,
  recordRule,
  sipUser,
  selector,
  selectorParticipant,
  borderRule,
];

const byKind = new Map(entities.map((entity) => [entity.kind, entity]));

export function isKind(kind: string): boolean {
  return byKind.has(kind);
}

export function entityOf(kind: string): Entity {
  const found = byKind.get(kind);
  if (found === undefined) throw new Error(`no entity "${kind}"`);
  return found;
}

/** The entities whose items belong to items of this one, and go with them. */
export function childrenOf({ kind }: Entity): Entity[] {
  return entities.filter(({ parent }) => parent?.kind === kind);
}
