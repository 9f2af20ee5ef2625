/**
 * The interface's description: /v1/openapi.json for programs, /docs and its style sheet for people. Made from the table of
 * endpoints when it is first asked for, over HTTPS, without a key.
 */
import { QuarryError, quoted } from '../base/index.js';
import {
  type ApiDocument,
  apiDocument,
  apiPage,
  type DescribedEndpoint,
  PAGE_STYLE,
} from '../openapi/index.js';
import { type Answer, JSON_TYPE } from './answer.js';
import type { Endpoint } from './endpoints.js';
import { takesOnceKey } from './idempotency.js';
import { BOUNDS, customKeysOf, keysOf } from './tables.js';

const DOCUMENT_PATH = '/v1/openapi.json';
const PAGE_PATH = '/docs';
const STYLE_PATH = '/docs/style.css';

const GUARDS: readonly (readonly [string, string])[] = [
  [
    'Content-Security-Policy',
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cache-Control', 'no-cache'],
];

export interface DescriptionRequest {
  /** In lower case. */
  readonly method: string;
  /** Without a slash at its end. */
  readonly path: string;
  readonly overHttps: boolean;
}

export class Description {
  readonly #endpoints: readonly Endpoint[];
  #made: ApiDocument | null = null;
  readonly #texts = new Map<string, string>();

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = endpoints;
  }

  /** null = the path is none of these. Throws 1506 over plain HTTP, 1505 for another method. */
  answer({ method, path, overHttps }: DescriptionRequest): Answer | null {
    if (path !== DOCUMENT_PATH && path !== PAGE_PATH && path !== STYLE_PATH) return null;
    if (!overHttps) throw new QuarryError(1506, `${quoted(path)} is served over HTTPS only`);
    if (method !== 'get' && method !== 'head') {
      throw new QuarryError(1505, `${path} does not take ${quoted(method.toUpperCase())}`);
    }
    const answer = (contentType: string, make: () => string): Answer => {
      return { status: 200, contentType, headers: GUARDS, body: this.#text(path, make) };
    };
    if (path === STYLE_PATH) return answer('text/css; charset=utf-8', () => PAGE_STYLE);
    if (path === PAGE_PATH)
      return answer('text/html; charset=utf-8', () => apiPage(this.#document, STYLE_PATH));
    return answer(JSON_TYPE, () => JSON.stringify(this.#document));
  }

  get #document(): ApiDocument {
    this.#made ??= apiDocument({ endpoints: this.#endpoints.map(described), limits: BOUNDS });
    return this.#made;
  }

  #text(path: string, make: () => string): string {
    const known = this.#texts.get(path) ?? make();
    this.#texts.set(path, known);
    return known;
  }
}

function described(endpoint: Endpoint): DescribedEndpoint {
  return {
    ...endpoint,
    takesOnceKey: takesOnceKey(endpoint),
    keys: keysOf(endpoint),
    customKeys: customKeysOf(endpoint),
  };
}
