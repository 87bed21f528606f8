/** The certificate and the key of the fronts, from files: what is wrong with them shows before anything starts. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Option } from 'commander';
import type { TlsIdentity } from '../../src/adapters/http-door.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { UsageError } from './failure.ts';

export interface TlsOptions {
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

export function tlsCertOption(): Option {
  return new Option(
    '--tls-cert <file>',
    'serve HTTPS and WSS with this certificate, in PEM, followed by those that it was issued by',
  );
}

export function tlsKeyOption(): Option {
  return new Option('--tls-key <file>', 'its private key, in PEM, without a pass phrase');
}

/** Nothing where no certificate is given. Throws an error that says which file is wrong, and what was expected of it. */
export function tlsIdentity({ tlsCert, tlsKey }: TlsOptions): TlsIdentity | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError('--tls-cert and --tls-key: expected both, or neither for HTTP');
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

/** What OpenSSL does not take: a key that is too short, a chain that is broken off. */
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
