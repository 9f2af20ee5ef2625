/**
 * From a request's path and method to its endpoint. A trailing slash changes nothing.
 */
import { QuarryError, quoted } from '../base/index.js';
import type { Endpoint } from './endpoints.js';
import type { Handler } from './handlers/handler.js';

/** An endpoint that is built. */
export interface BuiltEndpoint extends Endpoint {
  readonly handler: Handler;
}

/** What one path of the interface offers. */
export interface Path {
  /** By method in lower case. */
  readonly methods: ReadonlyMap<string, Endpoint>;
  readonly plainHttp: boolean;
}

export class Router {
  readonly #exact = new Map<string, Path>();
  readonly #patterns: (Path & { readonly segments: readonly string[] })[] = [];

  constructor(endpoints: readonly Endpoint[]) {
    for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
      const own = endpoints.filter((endpoint) => endpoint.path === path);
      const methods = new Map(own.map((endpoint) => [endpoint.method.toLowerCase(), endpoint]));
      const plainHttp = own.some((endpoint) => endpoint.plainHttp);
      if (path.includes('/:')) this.#patterns.push({ methods, plainHttp, segments: path.split('/') });
      else this.#exact.set(path, { methods, plainHttp });
    }
  }

  /** null when the text is no path of the interface. */
  find(text: string): Path | null {
    return this.#exact.get(text) ?? this.#findPattern(text.split('/'));
  }

  #findPattern(segments: readonly string[]): Path | null {
    const fits = (part: string, index: number): boolean =>
      part.startsWith(':') ? segments[index] !== '' : part === segments[index];
    const found = this.#patterns.find(
      (path) => path.segments.length === segments.length && path.segments.every(fits),
    );
    return found ?? null;
  }
}

export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** The endpoint for a method in lower case. Throws 1505: path first, then method, then what is not built yet. */
export function endpointOf(found: Path | null, method: string, path: string): BuiltEndpoint {
  if (found === null) throw new QuarryError(1505, `${quoted(path)} is no endpoint`);
  const endpoint = found.methods.get(method);
  if (endpoint === undefined) {
    throw new QuarryError(1505, `${quoted(path)} does not take ${quoted(method.toUpperCase())}`);
  }
  if (!isBuilt(endpoint)) throw new QuarryError(1505, `${endpoint.method} ${quoted(path)} is not built yet`);
  return endpoint;
}

function isBuilt(endpoint: Endpoint): endpoint is BuiltEndpoint {
  return endpoint.handler !== null;
}
