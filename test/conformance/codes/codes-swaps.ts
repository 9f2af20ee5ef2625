/** JSON bodies as trees, and every body that differs from one in a single place. */

/** Numbers must be exact in the notation of JSON.stringify. */
export type Tree = null | boolean | number | string | readonly Tree[] | { readonly [key: string]: Tree };

/** Replacements of a value. */
export const TOKENS: readonly string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '1e400',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '-9223372036854775809',
  '""',
  '"plain text"',
  '"ü"',
  JSON.stringify('x'.repeat(2_000)),
  '[]',
  '[[]]',
  '{}',
  '{"a":1}',
];

export const UNKNOWN = 'unknown-field';

export interface Swapped {
  /** The path of the change in the body, as `$[0].name`. */
  readonly path: string;
  /** The new value; null = an unknown field was added. */
  readonly token: string | null;
  readonly text: string;
}

type Whole = (part: string) => string;

/** The body with every value replaced by the tokens that `isTried` picks, and with an unknown field in every object. */
export function* swapsOf(
  tree: Tree,
  isTried: () => boolean,
  path = '$',
  whole: Whole = (part) => part,
): Generator<Swapped> {
  for (const token of TOKENS) if (isTried()) yield { path, token, text: whole(token) };
  if (tree === null || typeof tree !== 'object') return;
  const isList = Array.isArray(tree);
  const entries = Object.entries<Tree>(tree);
  const labels = entries.map(([key]) => (isList ? '' : `${JSON.stringify(key)}:`));
  const texts = entries.map(([, part], index) => labels[index] + JSON.stringify(part));
  const joined = (all: readonly string[]): string => whole(isList ? `[${all}]` : `{${all}}`);
  for (const [index, [key, part]] of entries.entries()) {
    const here = isList ? `${path}[${key}]` : `${path}.${key}`;
    yield* swapsOf(part, isTried, here, (text) => joined(texts.with(index, labels[index] + text)));
  }
  if (!isList) yield { path, token: null, text: joined([...texts, `"${UNKNOWN}":1`]) };
}
