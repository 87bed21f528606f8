/** A session reaches the items of its own domain only. */
import type { OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { setLast } from '../kit/shared.ts';

const item = /\/([0-9a-f]{8}-[0-9a-f-]{27})$/;
/** Of items, the last ones. */
const mostKept = 5_000;

export const domainsClosed: OracleMaker = {
  name: 'domains-closed',
  rule: 'An item that a session has made in one domain is not there for the sessions of another one: these read, change and remove it with 404.',
  make: ({ check, fail }) => {
    /** The domain of each item. */
    const owners = new Map<string, string>();
    const answered = ({ method, path, domain, site }: ObservedRequest, { status, body }: ObservedAnswer) => {
      const { id } = (body ?? {}) as { readonly id?: unknown };
      if (domain === undefined) return;
      if (method === 'POST' && status === 200 && typeof id === 'string' && !owners.has(id))
        setLast(owners, id, domain, mostKept);
      const owner = owners.get(item.exec(path)?.[1] ?? '');
      if (owner === undefined || owner === domain) return;
      check();
      if (status < 300) fail(`${site} answers ${method} ${path} of ${domain} with ${status}: the item is of ${owner}`);
    };
    const requests = new ClientRequests((method, path) => method === 'POST' || item.test(path), answered);
    return { listeners: requests.listeners };
  },
};
