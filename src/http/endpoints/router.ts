/**
 * From a request's path and method to its endpoint. A trailing slash changes nothing.
 */
import { QuarryError, quoted } from '../../base/index.js';
import type { Endpoint } from './endpoints.js';

/** What one path of the interface offers. */
export interface Path {
  /** By method in lower case. */
  readonly methods: ReadonlyMap<string, Endpoint>;
  readonly plainHttp: boolean;
  /** Which of the path's segments stands for any text; -1 when none does. */
  readonly nameIndex: number;
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

/** `METHOD path`, as documents, metrics and limits name an endpoint. */
export function nameOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** What stands in the place of the path's `:name`, percent-decoded where it can be; empty when it has none. */
export function pathNameOf({ nameIndex }: Path, text: string): string {
  if (nameIndex === -1) return '';
  const written = text.split('/')[nameIndex];
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** The endpoint for a method in lower case. Throws 1505: path first, then method. */
export function endpointOf(found: Path | null, method: string, path: string): Endpoint {
  if (found === null) throw new QuarryError(1505, `${quoted(path)} is no endpoint`);
  const endpoint = found.methods.get(method);
  if (endpoint === undefined) {
    throw new QuarryError(1505, `${quoted(path)} does not take ${quoted(method.toUpperCase())}`);
  }
  return endpoint;
}
