/** `fetch` over Node's own HTTP, for servers with a certificate that only `ca` trusts. Loaded only in Node, and only on demand. */
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { arrayBuffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Fetch } from './transport.js';

/** The server drops connections that are idle for ten seconds: connections close to that limit are not reused. */
const IDLE_MS_MAX = 5_000;

/**
 * A `fetch` that trusts `ca` (certificates in PEM) in place of Node's certificates; `close` closes all its connections.
 * At most `socketsMax` connections are open; further requests wait for one. A body may also be a stream.
 */
export function nodeFetch({ ca, socketsMax }: { readonly ca?: string; readonly socketsMax?: number }) {
  const options = {
    keepAlive: true,
    timeout: IDLE_MS_MAX,
    ...(socketsMax === undefined ? {} : { maxSockets: socketsMax }),
  };
  const secure = new https.Agent(ca === undefined ? options : { ...options, ca });
  const plain = new http.Agent(options);
  const fetch: Fetch = (url, { method, headers: requestHeaders, body, signal }) =>
    new Promise((resolve, reject) => {
      const isWhole = typeof body === 'string' || body instanceof Uint8Array;
      const length = isWhole ? { 'Content-Length': String(Buffer.byteLength(body)) } : {};
      const headers = { ...(requestHeaders as Record<string, string>), ...length };
      const isSecure = url.startsWith('https:');
      const outgoing = (isSecure ? https : http).request(
        url,
        {
          method,
          headers,
          agent: isSecure ? secure : plain,
          ...(signal === null || signal === undefined ? {} : { signal }),
        },
        (message) => {
          resolve({
            status: message.statusCode ?? 0,
            headers: { get: (name) => message.headers[name.toLowerCase()]?.toString() ?? null },
            text: () => text(message),
            arrayBuffer: () => arrayBuffer(message),
            body: message,
          });
        },
      );
      outgoing.on('error', reject);
      if (isWhole || body === undefined || body === null) outgoing.end(body ?? undefined);
      // A server that answers before the body's end may close the connection; the answer is still used.
      else pipeline(Readable.from(body as AsyncIterable<Uint8Array>), outgoing).catch(reject);
    });
  const close = (): void => {
    secure.destroy();
    plain.destroy();
  };
  return { fetch, close };
}

export type NodeFetch = ReturnType<typeof nodeFetch>;
