/** Text functions of PostgreSQL: parts, replaced characters, quotes, digests and FORMAT. */
import { type Expression, INTEGER, type ScalarFunction, TEXT } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import { asText, calculated } from '../expressions/arithmetic.js';
import { callOf, integerOf, isTextConstant } from '../expressions/build.js';
import { comparable, isLowerCase } from '../expressions/text-case.js';
import type { CallSite, SqlFunction } from './function.js';

type Make = SqlFunction['make'];

const calling =
  (name: ScalarFunction, type = TEXT): Make =>
  (args) =>
    callOf(name, type, args);

/** The text to search for in `text`: case is ignored if `text` is in lower case, as in REPLACE. */
export function soughtIn(text: Expression, sought: Expression, { scope }: CallSite): Expression {
  return isLowerCase(text, scope) ? comparable(sought, scope) : sought;
}

/** A function whose second argument is searched for in the first. */
const seeking =
  (name: ScalarFunction): Make =>
  ([text, sought, ...rest], site) =>
    callOf(name, TEXT, [text, soughtIn(text, sought, site), ...rest]);

/** ENCODE(SHA256(x), 'hex') is SHA256(x), because the digest is a text of hexadecimal digits. */
const encoded: Make = ([text, form], { position }) => {
  if (text.op !== 'call' || text.name !== 'sha256') return callOf('encode', TEXT, [text, form]);
  if (isTextConstant(form) && form.value.toLowerCase() === 'hex') return text;
  throw sqlError("SHA256 returns hexadecimal digits; ENCODE takes it only with the form 'hex'", position);
};

const bitLength: Make = ([text], { position }) =>
  calculated('*', callOf('octet-length', INTEGER, [text]), integerOf(8), position);

const IN_BASES = [
  ['to_hex', 16],
  ['to_oct', 8],
  ['to_bin', 2],
] as const;

const digitsIn = (integer: Expression, base: number): Expression =>
  callOf('in-base', TEXT, [asText(integer), integerOf(base)]);

export const TEXT_EDIT_FUNCTIONS: readonly SqlFunction[] = [
  { names: ['split_part'], parameters: ['text', 'text', 'integer'], make: seeking('split-part') },
  { names: ['concat_ws'], parameters: ['text', 'words'], rest: 'words', make: calling('concat-separated') },
  { names: ['translate'], parameters: ['text', 'text', 'text'], make: seeking('translate') },
  { names: ['initcap'], parameters: ['text'], make: calling('initial-capitals') },
  { names: ['chr', 'char'], parameters: ['integer'], make: calling('character') },
  { names: ['ascii', 'unicode', 'ord'], parameters: ['text'], make: calling('first-point', INTEGER) },
  {
    names: ['overlay'],
    parameters: ['text', 'text', 'integer'],
    optional: ['integer'],
    make: calling('overlay'),
  },
  { names: ['octet_length'], parameters: ['text'], make: calling('octet-length', INTEGER) },
  { names: ['bit_length'], parameters: ['text'], make: bitLength },
  { names: ['md5'], parameters: ['text'], make: calling('md5') },
  { names: ['sha256'], parameters: ['text'], make: calling('sha256') },
  { names: ['encode'], parameters: ['text', 'text'], make: encoded },
  { names: ['decode'], parameters: ['text', 'text'], make: calling('decode') },
  { names: ['format'], parameters: ['text'], rest: 'words', make: calling('format') },
  ...IN_BASES.map(([name, base]): SqlFunction => {
    return { names: [name], parameters: ['integer'], make: ([of]) => digitsIn(of, base) };
  }),
  { names: ['quote_literal'], parameters: ['words'], make: calling('quote-literal') },
  { names: ['quote_nullable'], parameters: ['words'], make: calling('quote-nullable') },
  { names: ['quote_ident'], parameters: ['text'], make: calling('quote-name') },
];
