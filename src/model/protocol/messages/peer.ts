/** Messages to nodes: pings, pongs and digests of peers, lease claims, descriptions, log levels and terminations. */
import { z } from 'zod';
import { instanceStatuses } from '../../cluster/states.ts';
import { logLevelSchema } from '../../shapes/platform-shapes.ts';
import { ask, tell } from '../message.ts';

export const nodeMessages = {
  'node.describe': ask({
    does: 'Describes a node and its instances as they are now.',
    to: ['node'],
    body: z.strictObject({}),
    reply: z.strictObject({
      startedMs: z.number(),
      status: z.string(),
      maxLogLevel: logLevelSchema,
      instances: z.array(
        z.strictObject({
          name: z.string(),
          status: z.enum(instanceStatuses),
          startedMs: z.number(),
          maxLogLevel: logLevelSchema,
        }),
      ),
    }),
  }),
  'node.log_level': ask({
    does: 'Sets the most detailed level that a node or one of its instances logs.',
    to: ['node'],
    body: z.strictObject({ name: z.string().describe('Name of the node or of the instance'), level: logLevelSchema }),
    reply: z.strictObject({}),
  }),
  'node.terminate': ask({
    does: 'Ends a node: it answers, drains its instances and leaves.',
    to: ['node'],
    body: z.strictObject({}),
    reply: z.strictObject({}),
  }),
  'instance.terminate': ask({
    does: 'Ends one role instance of a node; its supervisor starts another.',
    to: ['node'],
    body: z.strictObject({ name: z.string() }),
    reply: z.strictObject({}),
  }),
};

/** The state of a node. `incarnation` differs at each start. */
export const nodeStateSchema = z.strictObject({
  incarnation: z.int(),
  /** By `role-srvidx`; an instance that crashed and waits for its restart is `stopped`. */
  instances: z.record(z.string(), z.enum(instanceStatuses)),
});
export type NodeState = z.infer<typeof nodeStateSchema>;

const nodesSchema = z.record(z.string(), nodeStateSchema);

/**
 * The digest of a node: itself, the nodes of its site that it can reach (`home`) and, for a gateway, the other sites that
 * it can reach, directly or through the master site (`sites`).
 */
export const digestSchema = z.strictObject({
  self: nodeStateSchema,
  home: nodesSchema,
  sites: z.record(z.string(), z.strictObject({ direct: z.boolean(), nodes: nodesSchema })),
});
export type Digest = z.infer<typeof digestSchema>;

export const peerMessages = {
  'peer.ping': tell({
    does: 'Asks a peer node for a sign of life.',
    to: ['node'],
    body: z.strictObject({
      seq: z.int(),
      heard: z.int().describe('`seq` of the last ping, if its pong arrived in time; else 0'),
      known: z.string().describe("Version of the receiver's digest that the sender has"),
      version: z.string().describe("Version of the sender's digest"),
      found: z.int().describe('How often the sender has found the receiver'),
    }),
  }),
  'peer.pong': tell({
    does: "Answers a ping. Carries the sender's digest when the receiver does not have this version.",
    to: ['node'],
    body: z.strictObject({
      seq: z.int(),
      version: z.string(),
      digest: digestSchema.optional(),
      found: z.int().describe('How often the sender has found the receiver'),
    }),
  }),
  'peer.digest': tell({
    does: 'Sends the digest of the sender as soon as it changes.',
    to: ['node'],
    body: z.strictObject({ version: z.string(), digest: digestSchema }),
  }),
  'quorum.claim': ask({
    does: 'Asks an arbiter for the lease of a split site, for the half that the sender reaches. A grant lasts three pings.',
    to: ['node'],
    body: z.strictObject({ site: z.string(), side: z.array(z.string()) }),
    reply: z.strictObject({ granted: z.boolean() }),
    deadlineMs: 1_000,
  }),
};
