/** Contact groups that scripts make: their codes begin with that of the script. */

import { groups } from './paths.ts';
import { filterOf, itemsOf, type UseCase } from './use-case.ts';

/** The list of them. */
export function groupsOf(code: string): string {
  return `${groups}?${filterOf(['like', ['property', 'code'], `${code}-%`])}`;
}

export async function removeGroups(useCase: UseCase, code: string): Promise<void> {
  for (const { id } of itemsOf(await useCase.ask(groupsOf(code))))
    await useCase.ask(`${groups}/${String(id)}`, { method: 'DELETE' });
}
