/**
 * The use cases between whose requests seconds may pass: no call, no subscription and no registration of theirs is under way then, and
 * none judges how long something takes, or counts what a front forgets when it crashes.
 */
import { bordersGuarded } from '../../use-cases/edges/borders-guarded.ts';
import { dashboardsShown } from '../../use-cases/edges/dashboards-shown.ts';
import { edgesScoped } from '../../use-cases/edges/edges-scoped.ts';
import { nodesShown } from '../../use-cases/edges/nodes-shown.ts';
import { changesCrossed } from '../../use-cases/entities/changes-crossed.ts';
import { fieldsBounded, masterFieldsBounded } from '../../use-cases/entities/fields-bounded.ts';
import { keysFound } from '../../use-cases/entities/keys-found.ts';
import { listsQueried } from '../../use-cases/entities/lists-queried.ts';
import { secretsHidden } from '../../use-cases/entities/secrets-hidden.ts';
import type { UseCaseMaker } from '../../use-cases/kit/use-case.ts';
import { addressesBanned } from '../../use-cases/platform/addresses-banned.ts';
import { entitiesKept, masterEntitiesKept } from '../../use-cases/platform/entities-kept.ts';
import { filesServed } from '../../use-cases/platform/files-served.ts';
import { filesUploaded } from '../../use-cases/platform/files-uploaded.ts';
import { masterMetadataServed, metadataServed } from '../../use-cases/platform/metadata-served.ts';
import { masterRightsKept, rightsKept } from '../../use-cases/platform/rights-kept.ts';
import { sessionsOpened } from '../../use-cases/platform/sessions-opened.ts';
import { crowdsServed } from '../../use-cases/requests/crowds-served.ts';
import { requestsRefused } from '../../use-cases/requests/requests-refused.ts';
import { scopesSelected } from '../../use-cases/requests/scopes-selected.ts';
import { scriptsBranched } from '../../use-cases/scripts/scripts-branched.ts';
import { appsOpened } from '../../use-cases/sessions/apps-opened.ts';
import { sessionsDescribed } from '../../use-cases/sessions/sessions-described.ts';
import { sessionsSwitched } from '../../use-cases/sessions/sessions-switched.ts';

export const interruptible: readonly UseCaseMaker[] = [
  bordersGuarded,
  dashboardsShown,
  edgesScoped,
  nodesShown,
  changesCrossed,
  fieldsBounded,
  masterFieldsBounded,
  keysFound,
  listsQueried,
  secretsHidden,
  addressesBanned,
  entitiesKept,
  masterEntitiesKept,
  filesServed,
  filesUploaded,
  masterMetadataServed,
  metadataServed,
  masterRightsKept,
  rightsKept,
  sessionsOpened,
  crowdsServed,
  requestsRefused,
  scopesSelected,
  scriptsBranched,
  appsOpened,
  sessionsDescribed,
  sessionsSwitched,
];
