/**
 * The console's files: read once at the start, served from memory, over HTTPS only, without a key.
 * Invariants: only files that were in the folder at the start are served, so no path leads outside it. The pages may not load
 * or run anything from another server (the policy below). A client may cache a file without limit if its name holds a hash of
 * its content; it revalidates any other file and gets 304 while the file is unchanged.
 */
import { QuarryError, quoted } from '../../base/index.js';
import type { FileSystem } from '../../io/index.js';
import type { Answer } from '../transport/answer.js';
import {
  PACKINGS,
  type Packing,
  type PageRequest,
  requireRead,
  StaticPage,
} from '../transport/static-page.js';

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

/** Suffixes of the compressed files that the build writes next to each file. */
const SUFFIXES: Readonly<Record<Packing, string>> = { br: '.br', gzip: '.gz' };

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

export class ConsoleFiles {
  /** By the path of requests. */
  readonly #files: ReadonlyMap<string, StaticPage>;

  private constructor(files: ReadonlyMap<string, StaticPage>) {
    this.#files = files;
  }

  /** Reads the files that the build wrote into `dir`. Rejects with the system's error if `dir` does not exist. */
  static async read(fs: FileSystem, dir: string): Promise<ConsoleFiles> {
    const files = new Map<string, StaticPage>();
    const add = async (names: readonly string[], under: string, caching: string): Promise<void> => {
      for (const name of names) {
        const contentType = CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)];
        if (contentType === undefined) continue;
        const plain = await fs.readFile(`${dir}/${under}${name}`);
        const packed: Partial<Record<Packing, Uint8Array>> = {};
        for (const packing of PACKINGS) {
          const packedName = name + SUFFIXES[packing];
          if (names.includes(packedName)) packed[packing] = await fs.readFile(`${dir}/${under}${packedName}`);
        }
        const path = under === '' && name === PAGE ? CONSOLE_PATH : `${CONSOLE_PATH}/${under}${name}`;
        files.set(path, new StaticPage({ contentType, plain, packed, policy: POLICY, caching }));
      }
    };
    await add(await fs.list(dir), '', 'no-cache');
    await add(await fs.list(`${dir}/${HASHED_DIR}`), `${HASHED_DIR}/`, 'public, max-age=31536000, immutable');
    return new ConsoleFiles(files);
  }

  /** True if this build has a console. */
  get exists(): boolean {
    return this.#files.has(CONSOLE_PATH);
  }

  /** For a build without a console. */
  static none(): ConsoleFiles {
    return new ConsoleFiles(new Map());
  }

  /**
   * null = the path does not belong to the console. `/` redirects to the console if this build has one. Throws 1506 over plain
   * HTTP, 1505 for a file that does not exist.
   */
  answer(request: PageRequest): Answer | null {
    const { path } = request;
    if (path === '/' && this.exists) {
      requireRead(request);
      return { status: 302, contentType: 'text/plain', headers: [['Location', CONSOLE_PATH]], body: '' };
    }
    if (path !== CONSOLE_PATH && !path.startsWith(`${CONSOLE_PATH}/`)) return null;
    requireRead(request);
    const file = this.#files.get(path);
    if (file === undefined) throw new QuarryError(1505, `the console has no ${quoted(path)}`);
    return file.answer(request);
  }
}
