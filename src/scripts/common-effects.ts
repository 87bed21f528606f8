/** Effects and functions of scripts that need no more than their ports: the same in service scripts and IVR scripts. */
import type { RoleScope } from '../cluster/role.ts';
import { verifyJwt } from '../model/script/jwt.ts';
import type { HttpClient } from '../ports/http-client.ts';
import type { Breakpoints } from '../ports/instrumentation/breakpoints.ts';
import type { Evaluation } from '../ports/sandbox.ts';
import type { SmsGateway } from '../ports/sms-gateway.ts';
import { type EffectHandler, type EffectHandlers, invalidEffect } from './effects.ts';
import { httpHandler } from './http-requests.ts';

export interface EffectPorts {
  readonly sms: SmsGateway;
  readonly httpClient: HttpClient;
  readonly breakpoints: Breakpoints;
}

export function commonEffects(
  scope: RoleScope,
  { httpClient, sms }: Pick<EffectPorts, 'httpClient' | 'sms'>,
): EffectHandlers {
  return { http: httpHandler(scope, httpClient), sms: smsHandler(sms) };
}

/** Functions of expressions beside `startparam`. */
export function scriptFunctions({ clock }: RoleScope): NonNullable<Evaluation['functions']> {
  return {
    jwtverify: (token: unknown, key: unknown, options: unknown) => verifyJwt(token, key, options, clock.now()),
  };
}

function smsHandler(gateway: SmsGateway): EffectHandler {
  return async ({ run: { id: run, domain }, component, key, values }) => {
    const { to, text } = values;
    if (typeof to !== 'string' || typeof text !== 'string') {
      return invalidEffect('to, text: expected texts');
    }
    gateway.send({ key, domain, run, component, to, text });
    return { branch: 'next' };
  };
}
