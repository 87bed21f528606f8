/** What the command line and the environment say of who may use the control interface. */
import { Option } from 'commander';
import { type ControlAccess, loopbackHosts } from '../control/access.ts';
import { UsageError } from './failure.ts';

const tokenName = 'STROWGER_CONTROL_TOKEN';
const leastTokenLetters = 16;
const anyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export function controlHostOption(): Option {
  return new Option(
    '--control-host <address>',
    `address of the control interface; other than a loopback one only with ${tokenName} set`,
  ).default('127.0.0.1');
}

export function controlAllowHostOption(): Option {
  return new Option('--control-allow-host <name>', 'name by which the control interface may be reached; repeatable')
    .argParser((name: string, names: readonly string[]) => [...names, hostName(name)])
    .default([], 'loopback names and --control-host');
}

/** Throws a `UsageError` where the interface would be open to other machines without a token. */
export function controlAccess({ host, allowed }: { host: string; allowed: readonly string[] }): ControlAccess {
  const token = tokenOf(process.env[tokenName]);
  if (token === undefined && !isLoopback(host)) {
    throw new UsageError(
      `--control-host ${host}: expected a loopback address, since the control interface has no token; ` +
        `set ${tokenName} to a secret of at least ${leastTokenLetters} letters to open it to other machines`,
    );
  }
  const hosts = new Set([...loopbackHosts, host.toLowerCase(), ...allowed]);
  return { token, hosts, takesAddresses: anyAddress.has(host) };
}

/** Set to nothing, as a compose file may do it, it is not set. */
function tokenOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (text.length >= leastTokenLetters && /^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError(`${tokenName}: expected at least ${leastTokenLetters} visible ASCII letters without a space`);
}

function isLoopback(host: string): boolean {
  return loopbackHosts.has(host.toLowerCase()) || /^127(\.\d{1,3}){3}$/.test(host);
}

function hostName(name: string): string {
  if (/^[\w.-]+$|^[\da-f:.]+$/i.test(name)) return name.toLowerCase();
  throw new UsageError(`--control-allow-host: expected a host name or an address without a port, got "${name}"`);
}
