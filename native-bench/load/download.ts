/** Reads answers of many rows over a keep-alive connection; Node's client decodes their chunks. */
import http from 'node:http';
import https from 'node:https';
import type { Target } from './connection.js';

export interface Download {
  /** From sending the request to the last byte of the answer. */
  readonly seconds: number;
  readonly body: Buffer;
}

export class Downloader {
  readonly #target: Target;
  readonly #agent: http.Agent | https.Agent;

  constructor(target: Target) {
    this.#target = target;
    const { certificate } = target;
    this.#agent =
      certificate === null
        ? new http.Agent({ keepAlive: true, maxSockets: 1 })
        : new https.Agent({ keepAlive: true, maxSockets: 1, ca: certificate });
  }

  /** Rejects if the status is not 200 or the answer is incomplete. */
  get(body: string, accept: string): Promise<Download> {
    const { url, path, key, certificate, contentType = 'application/json' } = this.#target;
    const startMs = performance.now();
    return new Promise((resolve, reject) => {
      const request = (certificate === null ? http : https).request(
        `${url}${path}`,
        {
          agent: this.#agent,
          method: 'POST',
          headers: {
            authorization: key,
            accept,
            'content-type': contentType,
            'content-length': Buffer.byteLength(body),
          },
        },
        (response) => {
          const retained: Buffer[] = [];
          const isRight = response.statusCode === 200;
          response.on('data', (part: Buffer) => retained.push(part));
          response.on('error', reject);
          response.on('end', () => {
            const seconds = (performance.now() - startMs) / 1000;
            const answer = Buffer.concat(retained);
            if (isRight) resolve({ seconds, body: answer });
            else reject(new Error(`HTTP ${response.statusCode}: ${answer}`));
          });
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
