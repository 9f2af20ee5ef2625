/**
 * Pages with constant bytes: the console's files and the interface's description.
 * Invariants: pages are served over HTTPS only, to GET and HEAD. Each encoding of a page is compressed once and has an ETag of
 * its own, so an ETag identifies the encoded bytes.
 */
import { createHash } from 'node:crypto';
import { QuarryError, quoted } from '../../base/index.js';
import { weightOf } from './accept.js';
import type { Answer } from './answer.js';

/** In order of preference. */
export const PACKINGS = ['br', 'gzip'] as const;
export type Packing = (typeof PACKINGS)[number];

export interface PageRequest {
  /** In lower case. */
  readonly method: string;
  /** Without a trailing slash. */
  readonly path: string;
  readonly overHttps: boolean;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
}

export interface PageParts {
  readonly contentType: string;
  readonly plain: Uint8Array;
  readonly packed: Readonly<Partial<Record<Packing, Uint8Array>>>;
  /** The Content-Security-Policy. */
  readonly policy: string;
  /** The Cache-Control. */
  readonly caching: string;
}

/** The weight of `identity` if Accept-Encoding does not name it: accepted, but any named encoding is preferred. */
const UNNAMED_IDENTITY_WEIGHT = 1e-6;

export class StaticPage {
  readonly #parts: PageParts;
  readonly #hash: string;

  constructor(parts: PageParts) {
    this.#parts = parts;
    this.#hash = createHash('sha256').update(parts.plain).digest('base64url').slice(0, 22);
  }

  /** The bytes in the encoding that the client prefers, or 304 if the client has them. */
  answer({ acceptEncoding, ifNoneMatch }: PageRequest): Answer {
    const { contentType, plain, packed, policy, caching } = this.#parts;
    const packing = preferredOf(
      acceptEncoding,
      PACKINGS.filter((name) => packed[name] !== undefined),
    );
    const etag = packing === null ? `"${this.#hash}"` : `"${this.#hash}-${packing}"`;
    const headers = [
      ['Content-Security-Policy', policy],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
      ['Cross-Origin-Opener-Policy', 'same-origin'],
      ['Vary', 'Accept-Encoding'],
      ['ETag', etag],
      ['Cache-Control', caching],
    ] as const;
    if (namesTag(ifNoneMatch, etag)) return { status: 304, contentType, headers, body: '' };
    const body = packing === null ? undefined : packed[packing];
    if (body === undefined) return { status: 200, contentType, headers, body: plain };
    return { status: 200, contentType, headers: [...headers, ['Content-Encoding', packing ?? '']], body };
  }
}

/** Throws 1506 over plain HTTP, 1505 for methods other than GET and HEAD. */
export function requireRead({ method, path, overHttps }: PageRequest): void {
  if (!overHttps) throw new QuarryError(1506, `${quoted(path)} is served over HTTPS only`);
  if (method !== 'get' && method !== 'head') {
    throw new QuarryError(1505, `${path} does not take ${quoted(method.toUpperCase())}`);
  }
}

/** True if the header names the tag, also in its weak form: a proxy that compresses makes a tag weak. */
function namesTag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((tag) => {
    const named = tag.trim();
    return named === '*' || named.replace(/^W\//, '') === etag;
  });
}

/** The encoding with the highest q-value, the first one among equals; null = not encoded, which is never refused. */
function preferredOf(acceptEncoding: string, packings: readonly Packing[]): Packing | null {
  const weights = new Map(
    acceptEncoding.split(',').map((range): [string, number] => {
      const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      return [name, weightOf(parameters)];
    }),
  );
  const others = weights.get('*');
  let best: Packing | null = null;
  let bestWeight = weights.get('identity') ?? others ?? UNNAMED_IDENTITY_WEIGHT;
  for (const packing of packings) {
    const weight = weights.get(packing) ?? others ?? 0;
    if (weight === 0 || weight < bestWeight || (weight === bestWeight && best !== null)) continue;
    best = packing;
    bestWeight = weight;
  }
  return best;
}
