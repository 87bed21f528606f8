/** The events that an active sr publishes: devices that come and go, SIP users that can or can't be reached any more. */

import type { RoleScope } from '../../cluster/role.ts';
import type { Binding } from '../../model/binding.ts';
import { namedUuid } from '../../model/uuid.ts';
import { StreamSource } from '../../replication/stream-source.ts';
import type { BindingChange, Cause } from './bindings.ts';
import { speaksFor } from './device-registrar.ts';

const names = { registered: 'register', refreshed: 'refresh', removed: 'unregister', expired: 'expire' } as const;

export class RegistrationEvents {
  readonly source: StreamSource;
  readonly #scope: RoleScope;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.source = new StreamSource(scope);
  }

  /** Publishes a change that is this instance's to publish: that of a copy is published where it was made. */
  publish(binding: Binding, change: BindingChange, cause: Cause): void {
    // Every site notices that time is up.
    if (cause === 'copied' || (cause === 'time' && !speaksFor(this.#scope, binding))) return;
    const { domain, login, userid: id, contact, device, expiresMs, userAgent: useragent } = binding;
    const common = { domains: [domain], objects: [id, login] };
    const expires = Math.max(0, Math.round((expiresMs - this.#scope.clock.now()) / 1_000));
    const data = {
      ...(change.type === 'removed' && removalId(change.ended, 'unregister')),
      login,
      domain,
      contact,
      device,
      expires,
      useragent,
    };
    this.source.publish({ event: { class: 'registrarevents', name: names[change.type], ...common, data } });
    const isNews = change.type === 'registered' ? change.isFirst : change.type !== 'refreshed' && change.isLast;
    if (!isNews) return;
    const status = change.type === 'registered' ? 'online' : 'offline';
    const state = {
      ...(change.type === 'removed' && removalId(change.ended, 'offline')),
      collection: 'sipuser_states',
      id,
      username: login,
      status,
    };
    this.source.publish({ event: { class: 'modelevents', name: 'data_changed', ...common, data: state } });
  }
}

/**
 * The id of the event of a removal, by the registration that ends. All registrars that a SIP user has are asked to remove what a change of
 * the user revokes, and each that does so before it has the copy of another one publishes it, also when the device leaves by itself
 * meanwhile: a front gives the first one on, and clients know the others by the id.
 */
function removalId({ domain, login, device, callid, cseq }: Binding, what: 'unregister' | 'offline') {
  return { eventid: namedUuid(JSON.stringify([what, domain, login, device, callid, cseq])) };
}
