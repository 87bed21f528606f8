/** Requests of tests to a cluster of the library. */
import type { TestCluster } from '../../sim/embed/test-cluster.ts';

export const credentials = { domain: 'acme.root.test', login: 'admin', pwd: 'admin' };

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Sends `METHOD /path`, with a JSON body and a token. */
export async function ask(
  cluster: TestCluster,
  line: string,
  { at = 'north', json, token }: { at?: string; json?: unknown; token?: string } = {},
): Promise<JsonAnswer> {
  const [method = '', path = ''] = line.split(' ');
  const response = await cluster.fetch(at, path, {
    method,
    headers: {
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

export async function tokenOf(cluster: TestCluster, at = 'north'): Promise<string> {
  const json = { ...credentials, session_type: 'token' };
  return String((await ask(cluster, 'POST /rest/v1/iam/sessions', { at, json })).body['session_token']);
}

export const calls = '/rest/v1/uc/calls';

/** 1001 calls a number; the answer comes with the final one of the callee. */
export async function callTo(cluster: TestCluster, to: string, token: string): Promise<Record<string, unknown>> {
  return (await ask(cluster, `POST ${calls}`, { token, json: { from: '1001', to, response_mode: 3 } })).body;
}
