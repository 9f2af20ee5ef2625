/**
 * From the words and flags of `quarry keys` and `quarry account` to a request and to how the store is opened. What
 * that takes beside the directory (workers, memory limit) is read as by `quarry serve`, from environment and config
 * file.
 */
import { parseArgs } from 'node:util';
import type { Machine } from '../serve/options.js';
import { readOptions, type ServeConfig } from '../serve/serve-config.js';
import type { AdminRequest } from './admin-request.js';

/** Texts of flags that take one, true for the others. */
export type Flags = ReadonlyMap<string, string | boolean>;

export interface Words {
  readonly words: readonly string[];
  readonly flags: Flags;
}

export type Wrong = { readonly wrong: string };

export interface CommandLine {
  readonly request: AdminRequest;
  readonly flags: Flags;
}

export interface StoreOptionsNeeds {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly machine: Machine;
  /** A file's text; throws when it cannot be read. */
  readonly readText: (path: string) => string;
}

export type FlagKinds = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

const DIRECTORY_FLAGS: FlagKinds = { 'data-dir': { type: 'string' }, config: { type: 'string' } };

/** `own` are the flags beside --data-dir and --config. */
export function readWords(argv: readonly string[], own: FlagKinds): Words | Wrong {
  return readFlags(argv, { ...DIRECTORY_FLAGS, ...own });
}

/** The words and flags of a command that takes no flags but `options`. */
export function readFlags(argv: readonly string[], options: FlagKinds): Words | Wrong {
  try {
    const { positionals, tokens } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      tokens: true,
    });
    // As of a variable that is not set: a folder of that name would be the one that the shell is in.
    if (positionals.includes('')) return { wrong: 'an empty word was given' };
    const flags = new Map<string, string | boolean>();
    for (const token of tokens) if (token.kind === 'option') flags.set(token.name, token.value ?? true);
    return { words: positionals, flags };
  } catch (error) {
    // A TypeError whose message names the flag, and then explains at length.
    return { wrong: (error as Error).message.split('. ')[0] };
  }
}

/** What stands behind a flag that takes a text; undefined = it is not given. */
export function textOf(flags: Flags, name: string): string | undefined {
  const value = flags.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** The first flag that is none of `known`, --data-dir and --config; null = all are. */
export function unfitFlag(flags: Flags, known: readonly string[]): string | null {
  const all = [...known, ...Object.keys(DIRECTORY_FLAGS)];
  return [...flags.keys()].find((name) => !all.includes(name)) ?? null;
}

export function readStoreConfig(flags: Flags, needs: StoreOptionsNeeds): ServeConfig | Wrong {
  const argv = Object.keys(DIRECTORY_FLAGS).flatMap((name) =>
    flags.has(name) ? [`--${name}=${flags.get(name)}`] : [],
  );
  const read = readOptions(argv, needs.env, needs);
  return 'error' in read ? { wrong: read.error } : read.config;
}
