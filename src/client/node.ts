/** `fetch` over node:https for servers with a certificate that only `ca` trusts. Loaded only in Node, and only on demand. */
import { Agent, request } from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Fetch } from './transport.js';

/** The server drops connections that are idle for ten seconds: connections close to that limit are not reused. */
const IDLE_MS_MAX = 5_000;

/** Returns a `fetch` that trusts `ca`, one or more certificates in PEM. */
export function fetchTrusting(ca: string): Fetch {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS_MAX, ca });
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const bytes = Buffer.from((body as string | undefined) ?? '');
      const length = body === undefined ? {} : { 'Content-Length': String(bytes.length) };
      const options = {
        agent,
        method,
        headers: { ...(headers as Record<string, string>), ...length },
        ...(signal === null || signal === undefined ? {} : { signal }),
      };
      const sent = request(url, options, (message) => {
        const stream = Readable.toWeb(message) as ReadableStream<Uint8Array>;
        const heads = Object.entries(message.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        resolve(new Response(stream, { status: message.statusCode ?? 0, headers: heads }));
      });
      sent.on('error', reject);
      sent.end(bytes);
    });
}
