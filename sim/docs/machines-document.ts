/** Diagrams of the state machines, from the charts themselves. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { machines } from '../check/machine-list.ts';

export function machinesDocument(): string {
  return `# Machines

Generated from \`src/machines/\` by \`npm run docs\`. A label is an event; \`[guard]\` must hold; \`after delay\` is a deadline.
Events that a state ignores on purpose are not drawn; an event that no state expects is counted.

${machines.map((machine) => `## ${machine.id}\n\n\`\`\`mermaid\n${diagram(machine)}\n\`\`\`\n`).join('\n')}`;
}

function diagram(machine: AnyStateMachine): string {
  return ['stateDiagram-v2', ...stateLines(machine.root, '  ')].join('\n');
}

function stateLines(parent: AnyStateNode, indent: string): string[] {
  const lines: string[] = [];
  for (const target of parent.initial?.target ?? []) lines.push(`${indent}[*] --> ${nameOf(target)}`);
  for (const state of Object.values(parent.states) as AnyStateNode[]) {
    if (Object.keys(state.states).length > 0) {
      lines.push(`${indent}state ${nameOf(state)} {`, ...stateLines(state, `${indent}  `), `${indent}}`);
    }
    lines.push(...arrowLines(state, indent));
    if (state.type === 'final') lines.push(`${indent}${nameOf(state)} --> [*]`);
  }
  return lines;
}

function arrowLines(state: AnyStateNode, indent: string): string[] {
  const always = (state.always ?? []).map((transition) => ({ label: 'always', transition }));
  const all = [...state.transitions].flatMap(([event, transitions]) =>
    transitions.map((transition) => ({ label: labelOf(event), transition })),
  );
  return [...always, ...all].flatMap(({ label, transition }) =>
    (transition.target ?? []).map((target: AnyStateNode) => {
      const guard = typeof transition.guard === 'string' ? ` [${transition.guard}]` : '';
      return `${indent}${nameOf(state)} --> ${nameOf(target)} : ${label}${guard}`;
    }),
  );
}

function labelOf(event: string): string {
  return event.replace(/^xstate\.after\.([^.]+)\..*$/, 'after $1');
}

function nameOf(state: AnyStateNode): string {
  return state.path.join('_');
}
