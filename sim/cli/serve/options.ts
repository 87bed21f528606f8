/** Options of the commands that serve: limits, origins, certificate, access to the control interface, oracles. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Option } from 'commander';
import type { TlsIdentity } from '../../../src/adapters/http-server/http-server.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { type HttpLimitName, type HttpLimits, httpLimitNames } from '../../../src/model/limits.ts';
import { expectedText } from '../../../src/model/shapes/nearest.ts';
import { type ControlAccess, loopbackHosts } from '../../control/access.ts';
import { outputArgument, UsageError } from '../process.ts';

/** `--limit NAME=NUMBER`: overrides a limit of the fronts. */
export function limitOption(): Option {
  return new Option(
    '--limit <name=number>',
    'set a limit of the fronts, for example connectionsPerAddress=500; repeatable',
  )
    .argParser((text: string, before: Partial<HttpLimits>) => ({ ...before, ...limitIn(text) }))
    .default({}, 'see docs/reference/limits.md');
}

function limitIn(text: string): Partial<HttpLimits> {
  const [, name = '', digits = ''] = /^([A-Za-z]+)=(\d+)$/.exec(text) ?? [];
  const value = Number(digits);
  if (!isDoorLimit(name)) {
    throw new UsageError(`--limit: expected NAME=NUMBER with a name of ${httpLimitNames.join(', ')}, got "${text}"`);
  }
  if (value >= 1 && value <= 2 ** 31 - 1) return { [name]: value };
  throw new UsageError(`--limit ${name}: expected an integer from 1 to ${2 ** 31 - 1}, got "${digits}"`);
}

function isDoorLimit(name: string): name is HttpLimitName {
  return (httpLimitNames as readonly string[]).includes(name);
}

/** The option that lists the origins whose pages the fronts serve. */
export function corsOption(): Option {
  return new Option(
    '--cors <origin>',
    'accept requests from pages of this origin, for example https://app.example; repeatable',
  )
    .argParser((text: string, origins: readonly string[]) => [...origins, originOf(text)])
    .default([], 'none');
}

/** In the form that browsers send. A wildcard is not allowed: its pages would act for every logged-in user. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (isWeb && url.origin === text.toLowerCase()) return url.origin;
  const meant = isWeb ? `; did you mean ${url.origin}?` : '';
  throw new UsageError(`--cors: expected an origin such as https://app.example, got "${text}"${meant}`);
}

export interface TlsOptions {
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

export function tlsCertOption(): Option {
  return new Option('--tls-cert <file>', 'serve HTTPS and WSS with this certificate chain (PEM)');
}

export function tlsKeyOption(): Option {
  return new Option('--tls-key <file>', 'private key of --tls-cert (PEM, without a pass phrase)');
}

/**
 * Reads the certificate and the key of the fronts, and checks them before anything starts; `undefined` without a
 * certificate. Throws an error that names the wrong file and the expectation.
 */
export function tlsIdentity({ tlsCert, tlsKey }: TlsOptions): TlsIdentity | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError('--tls-cert and --tls-key: expected both or neither');
  }
  const cert = contentOf('--tls-cert', tlsCert);
  const key = contentOf('--tls-key', tlsKey);
  const certificate = certificateIn(tlsCert, cert);
  refuseOutdated(tlsCert, certificate);
  if (!certificate.checkPrivateKey(keyIn(tlsKey, key))) {
    throw new Error(`--tls-key ${tlsKey}: expected the private key of the certificate in ${tlsCert}, got another key`);
  }
  refuseUnusable(tlsCert, { cert, key });
  return { cert, key };
}

function contentOf(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${option} ${file}: expected a file that can be read: ${reasonOf(error)}`);
  }
}

function certificateIn(file: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new Error(`--tls-cert ${file}: expected a certificate in PEM: ${reasonOf(error)}`);
  }
}

function keyIn(file: string, text: string): KeyObject {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    throw new Error(`--tls-key ${file}: expected a private key without a pass phrase, got an encrypted one`);
  }
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new Error(`--tls-key ${file}: expected a private key in PEM: ${reasonOf(error)}`);
  }
}

function refuseOutdated(file: string, { validFrom, validTo }: X509Certificate): void {
  const nowMs = systemClock.now();
  if (nowMs > Date.parse(validTo)) throw new Error(`--tls-cert ${file}: the certificate expired on ${validTo}`);
  if (nowMs < Date.parse(validFrom)) throw new Error(`--tls-cert ${file}: the certificate is valid from ${validFrom}`);
}

/** Refused by OpenSSL: a key that is too short, an incomplete chain. */
function refuseUnusable(file: string, identity: TlsIdentity): void {
  try {
    createSecureContext(identity);
  } catch (error) {
    throw new Error(`--tls-cert ${file}: the certificate can't be used: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const tokenName = 'STROWGER_CONTROL_TOKEN';
const leastTokenChars = 16;
const anyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export function controlHostOption(): Option {
  return new Option(
    '--control-host <address>',
    `address of the control interface; an address other than loopback needs ${tokenName}`,
  ).default('127.0.0.1');
}

export function controlAllowHostOption(): Option {
  return new Option('--control-allow-host <name>', 'host name that the control interface accepts; repeatable')
    .argParser((name: string, names: readonly string[]) => [...names, hostName(name)])
    .default([], 'loopback names and --control-host');
}

export function accessLogOption(): Option {
  return new Option(
    '--access-log <file>',
    'append a JSON line for each answer of the fronts to this file; -: standard output',
  ).argParser((file) => (file === '-' ? file : outputArgument('--access-log')(file)));
}

export function otlpOption(): Option {
  return new Option(
    '--otlp <url>',
    'send traces of requests and calls to this collector of OpenTelemetry (OTLP over HTTP), such as http://127.0.0.1:4318',
  ).argParser((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol === 'http:' || url?.protocol === 'https:') return text;
    throw new UsageError(`--otlp: expected a URL such as http://127.0.0.1:4318, got "${text}"`);
  });
}

/**
 * Access to the control interface, from the command line and the environment. Throws a `UsageError` if the interface would
 * be open to other machines without a token.
 */
export function controlAccess({ host, allowed }: { host: string; allowed: readonly string[] }): ControlAccess {
  const token = tokenOf(process.env[tokenName]);
  if (token === undefined && !isLoopback(host)) {
    throw new UsageError(
      `--control-host ${host}: expected a loopback address, since the control interface has no token; ` +
        `set ${tokenName} to at least ${leastTokenChars} characters to open it to other machines`,
    );
  }
  const hosts = new Set([...loopbackHosts, host.toLowerCase(), ...allowed]);
  return { token, hosts, takesAddresses: anyAddress.has(host) };
}

/** An empty value, as in a compose file, counts as unset. */
function tokenOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (text.length >= leastTokenChars && /^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError(`${tokenName}: expected at least ${leastTokenChars} visible ASCII characters without a space`);
}

function isLoopback(host: string): boolean {
  return loopbackHosts.has(host.toLowerCase()) || /^127(\.\d{1,3}){3}$/.test(host);
}

function hostName(name: string): string {
  if (/^[\w.-]+$|^[\da-f:.]+$/i.test(name)) return name.toLowerCase();
  throw new UsageError(`--control-allow-host: expected a host name or an address without a port, got "${name}"`);
}

export interface OracleOptions {
  readonly clock: 'real' | 'virtual';
  readonly oracles?: readonly string[] | undefined;
}

export function oraclesOption(unless = 'all with a virtual clock, else none'): Option {
  return new Option(
    '--oracles <names>',
    `oracles that observe the cluster, separated by commas: all, none, or names; default: ${unless}`,
  ).argParser((text) => text.split(','));
}

/** The oracles that observe a served cluster. Rejects with a `UsageError` that names a wrong one. */
export async function oraclesOf({ clock, oracles: named }: OracleOptions): Promise<'all' | readonly string[]> {
  const names = named ?? [clock === 'virtual' ? 'all' : 'none'];
  const [first] = names;
  if (names.length === 1 && first === 'all') return first;
  if (names.length === 1 && first === 'none') return [];
  const { oracles } = await import('../../oracles/all.ts');
  const known = ['all', 'none', ...oracles.map(({ name }) => name)];
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) throw new UsageError(`--oracles: ${expectedText('the names of oracles', wrong, known)}`);
  if (names.includes('all') || names.includes('none'))
    throw new UsageError(`--oracles: expected all, none, or names, got "${names.join()}"`);
  return names;
}

/** Options that need real time, or are not part of what a snapshot repeats. */
const realOnly = ['data', 'samples', 'inspect', 'strict', 'cors'] as const;

/** Throws if an option does not fit `--clock virtual`. */
export function refuseRealOnly(options: { readonly [N in (typeof realOnly)[number]]?: unknown }): void {
  const wrong = realOnly.filter((name) => {
    const value = options[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
  if (wrong.length > 0)
    throw new UsageError(`--clock virtual: expected no ${wrong.map((name) => `--${name}`).join(', ')}`);
}
