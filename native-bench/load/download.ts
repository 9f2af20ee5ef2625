/**
 * Answers of many rows over one keep-alive connection: they come in chunks, which Node's own client takes apart, and are
 * only counted unless they are to be kept.
 */
import http from 'node:http';
import https from 'node:https';
import type { Target } from './connection.js';

export interface Download {
  /** Of the answer's body. */
  readonly byteCount: number;
  /** From sending to the last byte. */
  readonly seconds: number;
  /** The body; null where it was only counted. */
  readonly body: Buffer | null;
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

  /** Rejects when the status is not 200 or the answer breaks off. */
  get(body: string, accept: string, keeps: boolean): Promise<Download> {
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
          const kept: Buffer[] = [];
          let byteCount = 0;
          const isRight = response.statusCode === 200;
          response.on('data', (part: Buffer) => {
            byteCount += part.length;
            if (keeps || !isRight) kept.push(part);
          });
          response.on('error', reject);
          response.on('end', () => {
            const seconds = (performance.now() - startMs) / 1000;
            if (isRight) resolve({ byteCount, seconds, body: keeps ? Buffer.concat(kept) : null });
            else reject(new Error(`HTTP ${response.statusCode}: ${Buffer.concat(kept)}`));
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
