/**
 * Plants a bug into a world: one role is made as ever, but of spoilt parts or with spoilt handlers. The product has no switch
 * for this; only the composer of a process can do it.
 */
import type { DependencyContainer } from 'tsyringe';
import type { Role, RoleScope } from '../../src/cluster/role.ts';
import { makerOf } from '../../src/compose.ts';
import type { Envelope } from '../../src/model/cluster/envelope.ts';
import type { RoleName } from '../../src/model/cluster/roles.ts';
import type { Stores } from '../../src/ports/store.ts';
import { roleToken, tokens } from '../../src/tokens.ts';

// biome-ignore lint/suspicious/noExplicitAny: handlers of all roles pass here, each with bodies of its own
export type AnyHandler = (body: any, envelope: Envelope) => any;
export type AnyHandlers = Readonly<Record<string, AnyHandler>>;

export interface PlantedBug {
  readonly name: string;
  /** What goes wrong, in one sentence. */
  readonly does: string;
  readonly role: RoleName;
  readonly scope?: (scope: RoleScope) => RoleScope;
  readonly stores?: (stores: Stores, scope: RoleScope) => Stores;
  readonly siteStores?: (stores: Stores, scope: RoleScope) => Stores;
  /** Handlers that take the place of the right ones. */
  readonly handlers?: (right: AnyHandlers, scope: RoleScope) => AnyHandlers;
  /** Parts of the role's life that take the place of the right ones. */
  readonly life?: (right: Role, scope: RoleScope) => Partial<Pick<Role, 'serve' | 'standBy' | 'drain' | 'stop'>>;
}

/** Makes every instance of the bug's role with the bug, in a process that is composed. */
export function plant(process: DependencyContainer, bug: PlantedBug): void {
  const make = makerOf(bug.role);
  process.register(roleToken(bug.role), { useFactory: (instance) => makeSpoilt(instance, make, bug) });
}

function makeSpoilt(
  instance: DependencyContainer,
  make: (scope: DependencyContainer) => Role,
  { scope: spoil, stores, siteStores, handlers, life }: PlantedBug,
): Role {
  const inner = instance.createChildContainer();
  const right = instance.resolve(tokens.scope);
  const scope = spoil?.(right) ?? right;
  inner.register(tokens.scope, { useValue: scope });
  if (stores !== undefined) inner.register(tokens.stores, { useValue: stores(instance.resolve(tokens.stores), scope) });
  if (siteStores !== undefined) {
    inner.register(tokens.siteStores, { useValue: siteStores(instance.resolve(tokens.siteStores), scope) });
  }
  const role = make(inner);
  const replaced = {
    ...(handlers !== undefined && { handlers: { ...role.handlers, ...handlers(role.handlers as AnyHandlers, scope) } }),
    ...life?.(role, scope),
  };
  return overlaid(role, replaced);
}

/** `role` with some of its members replaced; the others still find their private fields. */
function overlaid(role: Role, replaced: object): Role {
  return new Proxy(role, {
    get(target, key) {
      if (Object.hasOwn(replaced, key)) return Reflect.get(replaced, key);
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
