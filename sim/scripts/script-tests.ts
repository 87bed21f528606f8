/** Unit tests of a script: a YAML file beside it, `NAME.test.yaml`, with cases: what starts it, and what is expected. */

import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { jsonOr } from '../../src/model/json.ts';
import { digitsSchema } from '../../src/model/topology/schema.ts';
import { readOwnYaml } from '../input/file-kind.ts';
import { stubAnswerSchema } from '../outside/http/stub-answer.ts';
import { readText } from '../topology/load-topology.ts';
import { readScript } from './script-file.ts';
import { runScript, type ScriptOutcome } from './script-world.ts';

const value = z.json();
const caseSchema = z.strictObject({
  name: z.string().min(1).describe('What the case shows'),
  input: value.optional().describe('Body of the request to a service script'),
  from: z.string().optional().describe('Number that calls an IVR script; default 1001'),
  presses: z.array(z.strictObject({ afterMs: z.int().min(0), digits: digitsSchema })).optional(),
  http: z
    .record(z.string(), stubAnswerSchema)
    .optional()
    .describe('Answers to HTTP requests, by the beginning of the address'),
  expect: z
    .strictObject({
      status: z.int().optional().describe('Status of the answer of /exec'),
      body: value.optional().describe('Body of the answer, JSON where it is no text'),
      run: z.enum(['finished', 'failed']).optional().describe('How the run has ended'),
      problem: z.string().optional().describe('Text that the problem of the run contains'),
      variables: z.record(z.string(), value).optional().describe('Variables of the script, among others'),
      steps: z.array(z.string()).optional().describe('Components that were executed, in order'),
      requests: z.array(z.string()).optional().describe('Requests that were sent, as `METHOD address`'),
    })
    .describe('What is expected of the run'),
});
const testsSchema = z.strictObject({
  script: z.string().describe('File of the script, from the folder of this one'),
  nested: z.array(z.string()).default([]).describe('Files of scripts that it runs'),
  cases: z.array(caseSchema).min(1, 'expected at least one case'),
});
type ScriptCase = z.infer<typeof caseSchema>;

interface CaseResult {
  readonly name: string;
  /** Empty: it has passed. */
  readonly problems: readonly string[];
}

/** Runs the cases of a file of tests, each in a cluster of its own. Throws for what is wrong in the files. */
export async function runScriptTests(file: string): Promise<CaseResult[]> {
  const { script, nested, cases } = readOwnYaml(
    { kind: 'scriptTests', file, text: readText(file) },
    { schema: testsSchema },
  );
  const scripts = [script, ...nested].map((each) => readScript(join(dirname(file), each)));
  const results: CaseResult[] = [];
  for (const each of cases) {
    const { name, expect, ...given } = each;
    results.push({ name, problems: problemsOf(expect, await runScript(scripts, given as never)) });
  }
  return results;
}

function problemsOf(expected: ScriptCase['expect'], { answer, run, requests }: ScriptOutcome): string[] {
  const text = answer?.body ?? '';
  const actual: Record<string, unknown> = {
    status: answer?.status,
    body: typeof expected.body === 'string' ? text : jsonOr(text, text),
    run: run?.status,
    steps: run?.steps.map(({ component }) => component),
    requests: requests.map(({ method, url }) => `${method} ${url}`),
  };
  const { problem, variables = {}, ...exact } = expected;
  const problems = Object.entries(exact).flatMap(([name, wanted]) => differs(name, actual[name], wanted));
  const own = Object.entries(variables).flatMap(([name, wanted]) =>
    differs(`variables.${name}`, run?.variables[name], wanted),
  );
  const isMissing = problem !== undefined && run?.problem?.includes(problem) !== true;
  const why = isMissing ? [`problem: expected ${JSON.stringify(problem)} in ${JSON.stringify(run?.problem)}`] : [];
  // A run that fails unexpectedly says why.
  const failure = expected.run !== 'failed' && problem === undefined && run?.problem !== undefined ? [run.problem] : [];
  return problems.length + own.length + why.length === 0 ? [] : [...problems, ...own, ...why, ...failure];
}

function differs(name: string, actual: unknown, wanted: unknown): string[] {
  if (isDeepStrictEqual(actual, wanted)) return [];
  return [`${name}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(actual) ?? 'nothing'}`];
}
