/**
 * The console's files, as the build left them: read once, served from memory, over HTTPS only, without a key.
 * Invariants: what is served was in the folder at the start, so no path leads anywhere else; nothing of it may load or run
 * what this server did not send (the policy below); a file whose name holds a hash of its content may be kept for ever,
 * any other is asked for again and answered with 304 while it is the same.
 */
import { createHash } from 'node:crypto';
import { QuarryError, quoted } from '../base/index.js';
import type { FileSystem } from '../io/index.js';
import type { Answer } from './answer.js';

export const CONSOLE_PATH = '/console';
const PAGE = 'index.html';
const HASHED_DIR = 'assets';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
};

/** In the order in which they are preferred; the build writes them beside each file. */
const PACKED = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
] as const;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const GUARDS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', POLICY],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Vary', 'Accept-Encoding'],
];

interface ConsoleFile {
  readonly contentType: string;
  readonly etag: string;
  readonly caching: string;
  readonly plain: Uint8Array;
  readonly packed: readonly { readonly encoding: string; readonly bytes: Uint8Array }[];
}

export interface ConsoleRequest {
  /** In lower case. */
  readonly method: string;
  /** Without a slash at its end. */
  readonly path: string;
  readonly overHttps: boolean;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
}

export class ConsoleFiles {
  /** By path, as requests name it. */
  readonly #files: ReadonlyMap<string, ConsoleFile>;

  private constructor(files: ReadonlyMap<string, ConsoleFile>) {
    this.#files = files;
  }

  /** Reads all that the build wrote into `dir`. Rejects with the system's error when it is not there. */
  static async read(fs: FileSystem, dir: string): Promise<ConsoleFiles> {
    const files = new Map<string, ConsoleFile>();
    const add = async (names: readonly string[], under: string, caching: string): Promise<void> => {
      for (const name of names) {
        const contentType = CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)];
        if (contentType === undefined) continue;
        const plain = await fs.readFile(`${dir}/${under}${name}`);
        const packed = [];
        for (const { encoding, suffix } of PACKED) {
          if (!names.includes(name + suffix)) continue;
          packed.push({ encoding, bytes: await fs.readFile(`${dir}/${under}${name}${suffix}`) });
        }
        const path = under === '' && name === PAGE ? CONSOLE_PATH : `${CONSOLE_PATH}/${under}${name}`;
        files.set(path, { contentType, etag: etagOf(plain), caching, plain, packed });
      }
    };
    await add(await fs.list(dir), '', 'no-cache');
    await add(await fs.list(`${dir}/${HASHED_DIR}`), `${HASHED_DIR}/`, 'public, max-age=31536000, immutable');
    return new ConsoleFiles(files);
  }

  /** Of a build without a console. */
  static none(): ConsoleFiles {
    return new ConsoleFiles(new Map());
  }

  /** null = the path is none of the console's. Throws 1506 over plain HTTP, 1505 for what is not there. */
  answer({ method, path, overHttps, acceptEncoding, ifNoneMatch }: ConsoleRequest): Answer | null {
    if (path !== CONSOLE_PATH && !path.startsWith(`${CONSOLE_PATH}/`)) return null;
    if (!overHttps) throw new QuarryError(1506, 'the console is served over HTTPS only');
    const file = this.#files.get(path);
    if (file === undefined) throw new QuarryError(1505, `the console has no ${quoted(path)}`);
    if (method !== 'get' && method !== 'head') {
      throw new QuarryError(1505, `${path} does not take ${quoted(method.toUpperCase())}`);
    }
    const { contentType, etag, caching } = file;
    const headers = [...GUARDS, ['ETag', etag], ['Cache-Control', caching]] as const;
    if (namesTag(ifNoneMatch, etag)) return { status: 304, contentType, headers, body: '' };
    const packed = file.packed.find(({ encoding }) => accepts(acceptEncoding, encoding));
    if (packed === undefined) return { status: 200, contentType, headers, body: file.plain };
    const encoded = [...headers, ['Content-Encoding', packed.encoding]] as const;
    return { status: 200, contentType, headers: encoded, body: packed.bytes };
  }
}

const etagOf = (bytes: Uint8Array): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

/** A proxy that packs by itself makes a tag weak: it still names the same content. */
function namesTag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((tag) => {
    const named = tag.trim();
    return named === '*' || named.replace(/^W\//, '') === etag;
  });
}

/** Whether the header names the encoding, and not with a weight of 0. */
function accepts(acceptEncoding: string, encoding: string): boolean {
  return acceptEncoding.split(',').some((range) => {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
