/** A server, clients for it, and a proxy in front of it that fails as a test requires. */
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import { Quarry, type QuarryOptions } from '../../src/client/index.js';

import { type Keys, ServerProcess } from '../support/server-process.js';

export interface ClientSite {
  readonly keys: Keys;
  readonly url: string;
  /** The server's certificate, as PEM. */
  readonly ca: string;
  /** The master key by default. */
  readonly quarry: (options?: Partial<QuarryOptions>) => Quarry;
}

/** Starts a server that ends with the test. */
export async function serveClients(t: Test, flags: readonly string[] = []): Promise<ClientSite> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-client-'));
  const server = new ServerProcess({ dir, flags: ['--workers', '1', ...flags] });
  t.teardown(async () => {
    await server.kill();
    fs.rmSync(dir, { recursive: true });
  });
  const { httpsPort } = await server.serving;
  const keys = server.keys();
  const ca = fs.readFileSync(path.join(server.dir, 'tls/cert.pem'), 'utf8');
  const url = `https://127.0.0.1:${httpsPort}`;
  const quarry = (options: Partial<QuarryOptions> = {}): Quarry =>
    new Quarry({ url, key: keys.master, ca, ...options });
  return { url, ca, keys, quarry };
}

/** The proxy's treatment of a request. */
export type Fate =
  | 'passes'
  /** The server receives the request, but the client receives no answer. */
  | 'loses the answer'
  /** The client receives half of the answer. */
  | 'cuts the answer'
  /** The server does not receive the request. */
  | 'loses the request'
  /** The proxy refuses the request. */
  | { readonly status: number; readonly code?: number; readonly retryAfter?: number };

export interface Proxy {
  readonly url: string;
  /** The treatment of the next requests, in order. Later requests are forwarded. */
  readonly fates: Fate[];
  /** Headers of every request that arrived. */
  readonly seen: http.IncomingHttpHeaders[];
}

/** Speaks HTTP to clients and HTTPS to the server. */
export async function proxyFor(t: Test, { url, ca }: Pick<ClientSite, 'url' | 'ca'>): Promise<Proxy> {
  const agent = new https.Agent({ keepAlive: true, timeout: 5_000, ca });
  const fates: Fate[] = [];
  const seen: http.IncomingHttpHeaders[] = [];
  const proxy = http.createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    seen.push(request.headers);
    const fate = fates.shift() ?? 'passes';
    if (typeof fate === 'object') {
      const { status, code, retryAfter } = fate;
      const body =
        code === undefined ? 'busy' : JSON.stringify({ errors: [{ code, message: 'no' }], status: 'error' });
      response.writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) });
      response.end(body);
      return;
    }
    if (fate === 'loses the request') {
      request.socket.destroy();
      return;
    }
    const { method, headers, url: path = '' } = request;
    const sent = https.request(url + path, { agent, method, headers }, async (answer) => {
      const got: Buffer[] = [];
      for await (const part of answer) got.push(part as Buffer);
      const bytes = Buffer.concat(got);
      if (fate === 'loses the answer') return request.socket.destroy();
      const type = answer.headers['content-type'] ?? '';
      response.writeHead(answer.statusCode ?? 0, { 'Content-Type': type, 'Content-Length': bytes.length });
      if (fate === 'passes') return response.end(bytes);
      response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
    });
    sent.on('error', () => request.socket.destroy());
    sent.end(Buffer.concat(parts));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    agent.destroy();
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, fates, seen };
}
