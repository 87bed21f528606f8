/** The checks of all machines, in the order in which they run and print. */
import type { AnyCheck } from '../machine/machine-check.ts';
import { callChecks } from './calls.ts';
import { matcherChecks } from './matchers.ts';
import { meetingChecks } from './meetings.ts';
import { nodeChecks } from './nodes.ts';
import { outsideChecks } from './outside.ts';
import { registrationChecks } from './registrations.ts';
import { replicationChecks } from './replication.ts';
import { scriptChecks } from './scripts.ts';
import { transactionChecks } from './transactions.ts';
import { userChecks } from './users.ts';
import { withinCallChecks } from './within-calls.ts';

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
