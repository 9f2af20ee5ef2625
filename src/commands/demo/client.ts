/**
 * A small HTTPS client of the interface: keep-alive connections, JSON both ways. It trusts the certificate that it
 * is given and verifies it. Rejects with DemoError when the answer is not HTTP 200, and with the system's error
 * when there is none.
 */
import { Agent, request } from 'node:https';

export interface DemoServer {
  /** "https://host:port", without a path. */
  readonly httpsUrl: string;
  /** PEM text of the certificate to trust: the self-signed one of the data directory. */
  readonly certificate: string;
  readonly masterKey: string;
  readonly writeKey: string;
  readonly readKey: string;
}

/** An answer other than HTTP 200; the message holds the method, the path, the status and the answer's first error. */
export class DemoError extends Error {
  override name = 'DemoError';
}

function describeErrors(text: string): string {
  try {
    const { errors } = JSON.parse(text) as { errors: { code: number; message: string }[] };
    return `code ${errors[0].code}: ${errors[0].message}`;
  } catch {
    return text.slice(0, 200);
  }
}

export class DemoClient {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(server: DemoServer, socketsMax: number) {
    this.#url = server.httpsUrl;
    this.#agent = new Agent({ keepAlive: true, maxSockets: socketsMax, ca: server.certificate });
  }

  /** Sends one request and gives its parsed answer. `body` null = none. */
  send(
    method: 'GET' | 'POST',
    path: string,
    key: string,
    body: Uint8Array | string | null,
  ): Promise<unknown> {
    const headers: Record<string, string | number> = { authorization: key };
    if (body !== null) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = Buffer.byteLength(body);
    }
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else
            reject(new DemoError(`${method} ${path}: HTTP ${response.statusCode}, ${describeErrors(text)}`));
        });
      });
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
