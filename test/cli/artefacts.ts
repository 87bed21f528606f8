/** Artefacts that differ from what was kept, as those of another run would. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Artefact } from '../../sim/scenario/artefact.ts';
import { digestOf } from '../../sim/scenario/sealed.ts';

type Changed = { -readonly [K in keyof Artefact]?: Artefact[K] };

/** Changes an artefact; `isSealed`: its digest is that of what it says now. */
export function edit(file: string, change: (artefact: Changed) => void, { isSealed = true } = {}): void {
  const artefact = JSON.parse(readFileSync(file, 'utf8'));
  change(artefact);
  writeFileSync(file, JSON.stringify(isSealed ? { ...artefact, digest: digestOf(artefact) } : artefact));
}
