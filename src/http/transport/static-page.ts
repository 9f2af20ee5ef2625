/**
 * Answers that are the same bytes every time: the console's files and the interface's description.
 * Invariants: they go over HTTPS only, to GET and HEAD; each of a page's encodings was packed once and has a tag of its own,
 * so that a tag names bytes and not only what they unpack to.
 */
import { createHash } from 'node:crypto';
import { QuarryError, quoted } from '../../base/index.js';
import { weightOf } from './accept.js';
import type { Answer } from './answer.js';

/** In the order in which they are preferred. */
export const PACKINGS = ['br', 'gzip'] as const;
export type Packing = (typeof PACKINGS)[number];

export interface PageRequest {
  /** In lower case. */
  readonly method: string;
  /** Without a slash at its end. */
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

/** Where an Accept-Encoding does not name it: taken, but gladly left for anything that is named. */
const UNNAMED_IDENTITY_WEIGHT = 1e-6;

export class StaticPage {
  readonly #parts: PageParts;
  readonly #hash: string;

  constructor(parts: PageParts) {
    this.#parts = parts;
    this.#hash = createHash('sha256').update(parts.plain).digest('base64url').slice(0, 22);
  }

  /** The bytes in the encoding that the client likes best, or 304 when it has them. */
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

/** Throws 1506 over plain HTTP, 1505 for a method that does not read. */
export function requireRead({ method, path, overHttps }: PageRequest): void {
  if (!overHttps) throw new QuarryError(1506, `${quoted(path)} is served over HTTPS only`);
  if (method !== 'get' && method !== 'head') {
    throw new QuarryError(1505, `${path} does not take ${quoted(method.toUpperCase())}`);
  }
}

/** A proxy that packs by itself makes a tag weak: it still names the same content. */
function namesTag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((tag) => {
    const named = tag.trim();
    return named === '*' || named.replace(/^W\//, '') === etag;
  });
}

/** The packing with the highest q-value, the first of those with the same one; null = as it is, which is never refused. */
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
