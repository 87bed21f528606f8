/** A client that trusts the certificate of the tests: requests and connections over TLS. */
import { request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { certificate } from './certificates.ts';

export interface TlsAsked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** As `fetch`, which takes no certificate of an authority. */
export function fetchTls(url: string, { body, ...options }: TlsAsked = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(url, { ...options, ca: certificate, agent: false }, (response) => {
      const { statusCode: status = 0, headersDistinct } = response;
      const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      const isEmpty = status === 204 || status === 304;
      buffer(response).then((bytes) => resolve(new Response(isEmpty ? null : bytes, { status, headers })), reject);
    });
    sent.once('error', reject).end(body);
  });
}

export function dialTls(port: number, options: ConnectionOptions = {}): TLSSocket {
  return connect({ port, host: '127.0.0.1', ca: certificate, ...options });
}
