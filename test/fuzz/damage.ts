/**
 * Damages a valid body: replaces, removes, repeats or nests one value, as text, so that the result may be a text that
 * no JSON library writes; or flips, cuts, repeats or inserts bytes.
 */
import fc from 'fast-check';
import type { Tree } from '../conformance/codes/codes-swaps.js';

const nested = (open: string, inside: string, close: string, depth: number): string =>
  open.repeat(depth) + inside + close.repeat(depth);

/** JSON texts of values, and texts that only resemble JSON. */
const ODD_TEXTS: readonly string[] = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1',
    '-1',
    '1.0',
    '7.5',
    '-0.0',
    '01',
    '+1',
    '.5',
    '5.',
    '1e5',
    '0x10',
  ],
  ...[
    '1e400',
    '-1e400',
    '1e-400',
    '1e999999999',
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
  ],
  ...[
    '-9223372036854775809',
    '9'.repeat(400),
    `0.${'1'.repeat(400)}`,
    'NaN',
    'Infinity',
    '-Infinity',
    'undefined',
  ],
  ...[
    '""',
    '" "',
    '"x"',
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u202e"',
    '"\\ufeff"',
    '"é"',
    '"e\\u0301"',
  ],
  ...[
    '"İ"',
    '"ß"',
    '"\u{1f600}"',
    '"\\x"',
    '"\\u12"',
    '"\n"',
    '"\t"',
    '"unterminated',
    "'x'",
    '"a\'b"',
    '"a\\"b"',
  ],
  ...[
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"hasOwnProperty"',
    '"../../etc/passwd"',
    '"CON"',
    '".."',
  ],
  ...[
    '"entity-id"',
    '"default"',
    '"auto-create"',
    '"dimension"',
    '"now"',
    '"+1d"',
    '"-999999999999y"',
    '"*"',
  ],
  ...[
    '"2020-02-30"',
    '"0000-00-00"',
    '"9999-12-31T23:59:59Z"',
    '"2020-01-01T00:00:00+99:99"',
    '"\\r\\nX: y"',
  ],
  ...[
    `"${'x'.repeat(65)}"`,
    `"${'x'.repeat(1_001)}"`,
    `"${'é'.repeat(70_000)}"`,
    `"${'\\u0130'.repeat(1_000)}"`,
  ],
  ...['[]', '{}', '[[]]', '[{}]', '[null]', '{"":1}', '{"a":1,"a":2}', '{"__proto__":{}}', '{"__proto__":1}'],
  ...[
    '{"constructor":{"prototype":1}}',
    '{"toString":1}',
    '{"equals":1}',
    '{"between":["now","now"]}',
    '[1,2]',
  ],
  ...[
    '["not"]',
    '["and"]',
    '["or","or"]',
    '[[],"and",[]]',
    '["not","not",{}]',
    '/* */1',
    '1//',
    '[1,]',
    '{"a":1,}',
  ],
  nested('[', '', ']', 65),
  nested('[', '', ']', 3_000),
  nested('{"a":', '1', '}', 200),
  nested('["not",', '{}', ']', 100),
  nested('[', '{"name":{"equals":"x"}}', ']', 100),
  '['.repeat(20_000),
  `[${Array.from({ length: 1_500 }, (_, index) => index).join()}]`,
  `{${Array.from({ length: 700 }, (_, index) => `"k${index}":${index}`).join()}}`,
];

export interface Wrong {
  /** The index among the body's values, in the order of their first characters. */
  readonly at: number;
  readonly how: 'replace' | 'remove' | 'double' | 'rename' | 'add' | 'bury';
  readonly text: string;
  readonly name: string;
}

const ODD_NAMES: readonly string[] = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'length', ''],
  ...[' ', '\u0000', '\ud800', 'entity-id', 'auto-create', 'dimension', 'query', 'between', 'name', 'NAME'],
  ...['unknown', 'query-name', 'minfreq', 'freqgroup', 'x'.repeat(70), '../x', 'é', '1'],
];

export const wrongArb: fc.Arbitrary<Wrong> = fc.record({
  at: fc.nat(60),
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'double', 'rename', 'add', 'bury'),
  text: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ODD_TEXTS) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map(quoted) },
  ),
  name: fc.constantFrom(...ODD_NAMES),
});

function quoted(text: string): string {
  return JSON.stringify(text);
}

function countOf(tree: Tree): number {
  if (tree === null || typeof tree !== 'object') return 1;
  return Object.values<Tree>(tree).reduce<number>((sum, part) => sum + countOf(part), 1);
}

/** The body as text, with `wrong` applied to one of its values; unchanged if `wrong` is null. */
export function textOf(tree: Tree, wrong: Wrong | null): string {
  if (wrong === null) return JSON.stringify(tree);
  let left = wrong.at % countOf(tree);
  const write = (part: Tree, name: string | null): string => {
    const isIt = left-- === 0;
    const label = name === null ? '' : `${quoted(name)}:`;
    if (isIt && wrong.how === 'remove') return '';
    if (isIt && wrong.how === 'replace') return label + wrong.text;
    if (isIt && wrong.how === 'rename' && name !== null)
      return `${quoted(wrong.name)}:${JSON.stringify(part)}`;
    const text = label + inner(part, isIt);
    if (!isIt) return text;
    if (wrong.how === 'double') return `${text},${text}`;
    if (wrong.how === 'bury')
      return label + nested('[', inner(part, false), ']', 1 + (wrong.name.length % 5));
    return text;
  };
  const inner = (part: Tree, isIt: boolean): string => {
    if (part === null || typeof part !== 'object') return JSON.stringify(part);
    const isList = Array.isArray(part);
    const parts = Object.entries<Tree>(part).map(([key, value]) => write(value, isList ? null : key));
    if (isIt && wrong.how === 'add') parts.push((isList ? '' : `${quoted(wrong.name)}:`) + wrong.text);
    const joined = parts.filter((each) => each !== '').join(',');
    return isList ? `[${joined}]` : `{${joined}}`;
  };
  return write(tree, null);
}

export interface Mutation {
  readonly how: 'flip' | 'set' | 'put' | 'take' | 'cut' | 'double' | 'copy' | 'mark' | 'front';
  /** Position and length as fractions of the body. */
  readonly at: number;
  readonly length: number;
  readonly byte: number;
}

const TELLING = Array.from('{}[]",:\\/.-+eE0159tfnu \t\n\0\u007f', (text) => text.charCodeAt(0));

export const mutationArb: fc.Arbitrary<Mutation> = fc.record({
  how: fc.constantFrom('flip', 'flip', 'set', 'set', 'put', 'take', 'cut', 'double', 'copy', 'mark', 'front'),
  at: fc.nat(9_999),
  length: fc.nat(40),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(...TELLING, 0xc0, 0xed, 0xa0, 0xf4, 0xff)),
});

const MARK = [0xef, 0xbb, 0xbf];
const BODY_BYTES_MAX = 400_000;

export function mutated(bytes: Uint8Array, mutations: readonly Mutation[]): Uint8Array {
  return mutations.reduce(damaged, bytes);
}

function damaged(bytes: Uint8Array, { how, at: share, length, byte }: Mutation): Uint8Array {
  const at = Math.floor((share / 10_000) * bytes.length);
  const [before, here] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (how) {
    case 'flip':
      return Buffer.concat([before, Uint8Array.of((here[0] ?? 0) ^ (1 << (byte & 7))), here.subarray(1)]);
    case 'set':
      return Buffer.concat([before, Uint8Array.of(byte), here.subarray(1)]);
    case 'put':
      return Buffer.concat([before, Buffer.alloc(1 + (length % 4), byte), here]);
    case 'take':
      return Buffer.concat([before, here.subarray(1 + (length % 8))]);
    case 'cut':
      return before;
    case 'double':
      return bytes.length > BODY_BYTES_MAX ? bytes : Buffer.concat([bytes, bytes]);
    case 'copy':
      return Buffer.concat([before, here.subarray(0, length), here]);
    case 'mark':
      return Buffer.concat([Uint8Array.from(MARK), bytes]);
    case 'front':
      return Buffer.concat([Uint8Array.of(byte), bytes]);
  }
}
