/** The actions of steps, one for each kind. `step-runner.ts` runs blocks. */
import { NoRoute } from '../../outside/outside-world.ts';
import { FrontAway } from '../../world/world.ts';
import type { Expectation, ScenarioRequest } from '../language/request-schema.ts';
import type { ScenarioStep, StepKind } from '../language/steps.ts';
import type { RunContext } from './context.ts';
import { converge } from './converge.ts';
import { type Unmet, unmet } from './expectations.ts';

type StepAction = (context: RunContext, step: ScenarioStep) => Promise<readonly Unmet[] | undefined>;

export type StepActionKind = Exclude<StepKind, 'steps' | 'parallel' | 'repeat'>;

/** Longest duration of a fault action. Nodes start and drain in seconds; a longer one is a failure. */
const mostFaultMs = 600_000;

const actions: Readonly<Record<StepActionKind, StepAction>> = {
  wait: async (context, { wait = 0 }) => {
    await context.wait(wait);
    return undefined;
  },
  fault: async (context, { fault }) => {
    if (fault === undefined) return undefined;
    context.onFault(fault);
    let isDone = false;
    const injected = context.faultInjector.inject(fault).then(() => {
      isDone = true;
    });
    await context.wait(mostFaultMs, injected);
    return isDone ? undefined : [{ text: `not done within ${mostFaultMs / 1_000} s` }];
  },
  request: async (context, { request, expect }) => {
    if (request === undefined) return undefined;
    context.requestCount += 1;
    return context.retry(() => tryRequest(context, request, expect), expect?.within ?? 0);
  },
  look: (context, { look = '', expect }) =>
    context.retry(() => compareState(context, look, expect), expect?.within ?? 0),
  dial: async (context, { dial }) => {
    if (dial === undefined) return undefined;
    context.requestCount += 1;
    const to = String(context.values.fill(dial.to));
    try {
      context.world.outside.call(dial.from, to);
      return undefined;
    } catch (error) {
      if (error instanceof NoRoute) return [{ text: error.message }];
      throw error;
    }
  },
  press: async ({ world }, { press }) => {
    if (press !== undefined) world.outside.press(press.from, press.digits);
    return undefined;
  },
  hangUp: async ({ world }, { hangUp = '' }) => {
    world.outside.hangUp(hangUp);
    return undefined;
  },
  stub: async ({ world }, { stub }) => {
    if (stub !== undefined) world.outside.stubs.set(stub.url, stub.answer);
    return undefined;
  },
  load: async ({ workloads }, { load }) => {
    if (load !== undefined) workloads.change({ calls: load.rate === 0 ? 'none' : load });
    return undefined;
  },
  workload: async ({ workloads }, { workload = {} }) => {
    workloads.change(workload);
    return undefined;
  },
  converge: async (context, { converge: wanted }) => wanted && textsOf(await converge(context, wanted)),
};

const kinds = Object.keys(actions) as readonly StepActionKind[];

/** Runs the action of a step and returns the expectations that were not met. */
export async function runAction(context: RunContext, step: ScenarioStep): Promise<readonly Unmet[]> {
  const kind = kinds.find((each) => step[each] !== undefined);
  if (kind === undefined) return [];
  return (await actions[kind](context, step)) ?? [];
}

/** Sends a request once and compares the answer with the expectation. */
export async function tryRequest(
  { apiClients, values }: RunContext,
  request: Omit<ScenarioRequest, 'save'> & Pick<Partial<ScenarioRequest>, 'save'>,
  expect: Expectation | undefined,
): Promise<readonly Unmet[]> {
  try {
    const answer = await apiClients.send(values.fill(request));
    const failures = expect === undefined ? [] : unmet(values.fill(expect), answer);
    return failures.length > 0 ? failures : textsOf(values.save(request.save ?? {}, answer.body));
  } catch (error) {
    if (error instanceof FrontAway)
      return expect === undefined && request.save === undefined ? [] : [{ text: error.message }];
    throw error;
  }
}

function textsOf(texts: readonly string[]): Unmet[] {
  return texts.map((text) => ({ text }));
}

/** Compares the present state of a phone or provider, or a list of what scripts have sent, with the expectation. */
export function compareState({ world, values }: RunContext, name: string, expect: Expectation | undefined): Unmet[] {
  if (expect === undefined) return [];
  return unmet(values.fill(expect), { status: 200, body: stateOf(world, name) });
}

function stateOf({ outside }: RunContext['world'], name: string): unknown {
  if (name === 'deliveries') return outside.deliveries.log.all;
  if (name === 'sms') return outside.sms.messages;
  const isPhone = outside.phones().some((phone) => phone.name === name || phone.endpoint === name);
  const [body] = isPhone ? outside.phones(name) : outside.providers(name);
  return body;
}
