/**
 * The code blocks in README.md and docs/, and how each is tested.
 *
 *   ```sh                commands: run in order with bash, against a server of the page's own (pages.test.ts)
 *   ```sh server         the command that starts this server, which remains in the background
 *   ```sh test=FILE      commands that FILE runs
 *   ```text              the output of the commands directly above. `...` matches any text in a line, and any lines
 *                        if it is alone; trailing spaces and empty lines are ignored
 *   <!-- after PAGE -->  the page's commands follow those of PAGE, on the same server
 *
 * Blocks of other languages are not run here.
 */
import path from 'node:path';
import { filesUnder, read } from '../tidy/source.js';

/** Documents whose commands are run. */
export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...filesUnder('docs').filter((file) => file.endsWith('.md')),
];

export interface Block {
  readonly page: string;
  /** Line of the opening fence, 1-based. */
  readonly line: number;
  readonly language: string;
  /** The text after the language in the fence: '', 'server' or 'test=FILE'. */
  readonly role: string;
  readonly text: string;
  /** The text block directly after this block, or null. */
  readonly output: string | null;
}

/** All blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = read(page);
  const fences = [...text.matchAll(/^```(\w*) *(.*)\n([\s\S]*?)^```$/gm)];
  return fences.map((fence, at) => {
    const [whole, language, role, body] = fence;
    const end = fence.index + whole.length;
    const next = fences[at + 1];
    const follows = next?.[1] === 'text' && text.slice(end, next.index).trim() === '';
    const line = text.slice(0, fence.index).split('\n').length;
    return { page, line, language, role, text: body, output: follows ? next[3] : null };
  });
}

/** The blocks in `language` under a heading of the page, up to the next one of its level or above. Throws if none. */
export function blocksUnder(page: string, heading: string, language: 'sh' | 'ts'): Block[] {
  const lines = read(page).split('\n');
  const first = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  const level = /^#*/.exec(lines[first] ?? '')?.[0].length ?? 0;
  let fenced = false;
  const length = lines.slice(first + 1).findIndex((line) => {
    if (line.startsWith('```')) fenced = !fenced;
    const [hashes] = /^#+(?= )/.exec(line) ?? [''];
    return !fenced && hashes !== '' && hashes.length <= level;
  });
  const last = length < 0 ? lines.length : first + 1 + length;
  const blocks = blocksOf(page).filter(
    (block) => block.language === language && block.line > first && block.line <= last,
  );
  if (first < 0 || blocks.length === 0)
    throw new Error(`${page} has no block of ${language} under ${heading}`);
  return blocks;
}

/** The pages whose commands precede those of `page`, in order, followed by `page`. */
export function pagesUpTo(page: string): string[] {
  const before = /<!-- after (\S+) -->/.exec(read(page))?.[1];
  return before === undefined
    ? [page]
    : [...pagesUpTo(path.posix.join(path.posix.dirname(page), before)), page];
}

/** Whether `found` equals `expected`, in which `...` matches any text. */
export function looksLike(found: string, expected: string): boolean {
  const lines = (text: string): string =>
    text
      .split(/\r?\n/)
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .map((line) => `${line}\n`)
      .join('');
  const pattern = lines(expected)
    .replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
    .replace(/^\\\.\\\.\\\.\n/gm, '(?:.*\\n)*')
    .replaceAll('\\.\\.\\.', '.*');
  return new RegExp(`^${pattern}$`).test(lines(found));
}
