/** The checks of all machines, in the order in which they run and print. */
import type { AnyCheck } from '../machine/machine-check.ts';
import { userChecks } from './access-checks.ts';
import { callChecks } from './call-checks.ts';
import { withinCallChecks } from './call-part-checks.ts';
import { meetingChecks } from './conference-checks.ts';
import { outsideChecks } from './endpoint-checks.ts';
import { matcherChecks } from './matcher-checks.ts';
import { nodeChecks } from './node-checks.ts';
import { registrationChecks } from './registration-checks.ts';
import { replicationChecks } from './replication-checks.ts';
import { scriptChecks } from './script-checks.ts';
import { transactionChecks } from './transaction-checks.ts';

export const machineChecks: readonly AnyCheck[] = [
  ...callChecks,
  ...withinCallChecks,
  ...transactionChecks,
  ...meetingChecks,
  ...registrationChecks,
  ...userChecks,
  ...matcherChecks,
  ...scriptChecks,
  ...nodeChecks,
  ...replicationChecks,
  ...outsideChecks,
];
