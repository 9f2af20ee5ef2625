/**
 * Reads the arguments and flags of the administrative commands. The options with which the store is opened (workers,
 * memory limit) are read from the environment and the config file, as `quarry serve` does.
 */
import { parseArgs } from 'node:util';
import type { Machine } from '../serve/options.js';
import { readOptions, type ServeConfig } from '../serve/serve-config.js';
import type { AdminRequest } from './admin-request.js';

/** The value of each given flag; true for a flag without a value. */
export type Flags = ReadonlyMap<string, string | boolean>;

export interface ParsedArguments {
  readonly positionals: readonly string[];
  readonly flags: Flags;
}

export type Wrong = { readonly wrong: string };

export interface CommandLine {
  readonly request: AdminRequest;
  readonly flags: Flags;
}

export interface StoreOptionsContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly machine: Machine;
  /** A file's text; throws when it cannot be read. */
  readonly readText: (path: string) => string;
}

export type FlagKinds = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

const DIRECTORY_FLAGS: FlagKinds = { 'data-dir': { type: 'string' }, config: { type: 'string' } };

/** `own` are the flags of the command in addition to --data-dir and --config. */
export function readArguments(argv: readonly string[], own: FlagKinds): ParsedArguments | Wrong {
  return readFlags(argv, { ...DIRECTORY_FLAGS, ...own });
}

/** Reads the arguments and flags of a command whose only flags are `options`. */
export function readFlags(argv: readonly string[], options: FlagKinds): ParsedArguments | Wrong {
  try {
    const { positionals, tokens } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      tokens: true,
    });
    // A shell variable that is not set gives an empty argument, which would mean the current directory.
    if (positionals.includes('')) return { wrong: 'an argument is empty' };
    const flags = new Map<string, string | boolean>();
    for (const token of tokens) if (token.kind === 'option') flags.set(token.name, token.value ?? true);
    return { positionals, flags };
  } catch (error) {
    // The first sentence of the TypeError's message names the flag; an explanation follows.
    return { wrong: (error as Error).message.split('. ')[0] };
  }
}

/** The value of a flag that takes one; undefined = the flag is not given. */
export function flagTextOf(flags: Flags, name: string): string | undefined {
  const value = flags.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** The first flag that is not in `known` and not --data-dir or --config; null = there is none. */
export function unfitFlag(flags: Flags, known: readonly string[]): string | null {
  const all = [...known, ...Object.keys(DIRECTORY_FLAGS)];
  return [...flags.keys()].find((name) => !all.includes(name)) ?? null;
}

export function readStoreConfig(flags: Flags, context: StoreOptionsContext): ServeConfig | Wrong {
  const argv = Object.keys(DIRECTORY_FLAGS).flatMap((name) =>
    flags.has(name) ? [`--${name}=${flags.get(name)}`] : [],
  );
  const read = readOptions(argv, context.env, context);
  return 'error' in read ? { wrong: read.error } : read.config;
}
