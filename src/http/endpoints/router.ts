/**
 * Finds the endpoint of a request by its path and method. A trailing slash is ignored.
 */
import { QuarryError, quoted } from '../../base/index.js';
import type { Endpoint } from './endpoints.js';

export interface PathForm {
  /** Index of the path segment that matches any text; -1 = none. */
  readonly nameIndex: number;
}

/** A path of the interface with its endpoints. */
export interface Path extends PathForm {
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
      const segments = path.split('/');
      const nameIndex = segments.findIndex((segment) => segment.startsWith(':'));
      if (nameIndex === -1) this.#exact.set(path, { methods, plainHttp, nameIndex });
      else this.#patterns.push({ methods, plainHttp, nameIndex, segments });
    }
  }

  /** null if `text` is not a path of the interface. */
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

/** The name of an endpoint in documents, metrics and limits: `METHOD path`. */
export function nameOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** The text of the path's variable segment, percent-decoded if possible; empty if the path has none. */
export function pathNameOf({ nameIndex }: PathForm, text: string): string {
  if (nameIndex === -1) return '';
  const written = text.split('/')[nameIndex];
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** `method` is in lower case. Throws 1505 for an unknown path or a method that the path does not have. */
export function endpointOf(found: Path | null, method: string, path: string): Endpoint {
  if (found === null) throw new QuarryError(1505, `${quoted(path)} is not an endpoint`);
  const endpoint = found.methods.get(method);
  if (endpoint === undefined) {
    throw new QuarryError(1505, `${quoted(path)} does not take ${quoted(method.toUpperCase())}`);
  }
  return endpoint;
}
