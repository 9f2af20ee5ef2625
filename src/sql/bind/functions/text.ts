/** Text functions. Lengths and positions count code points, from 1. */
import { BOOLEAN, type Expression, INTEGER, type ScalarFunction, TEXT } from '../../../ir/index.js';
import type { SqlType } from '../../../vector/index.js';
import { callOf, constantOf, isTextConstant } from '../expressions/build.js';
import { comparableTogether } from '../expressions/text-case.js';
import type { CallSite, SqlFunction } from './function.js';
import { soughtIn } from './text-edits.js';

type Make = SqlFunction['make'];

const calling =
  (name: ScalarFunction, type: SqlType = TEXT): Make =>
  (args) =>
    callOf(name, type, args);

/** LOWER and UPPER; constants are converted immediately, so that the call is allowed where a constant is required. */
const cased =
  (name: 'upper' | 'lower'): Make =>
  ([text], { scope }) => {
    // Texts with other than ASCII characters are left to the function, which has the mappings.
    const folds = scope.foldsCalls !== false && isTextConstant(text) && /^[ -~]*$/.test(text.value);
    if (!folds) return callOf(name, TEXT, [text]);
    return constantOf(TEXT, name === 'upper' ? text.value.toUpperCase() : text.value.toLowerCase());
  };

/** Functions that search for a text ignore case. */
const searching =
  (name: ScalarFunction, type: SqlType): Make =>
  (args, { scope }) =>
    callOf(name, type, comparableTogether(args, scope));

/** POSITION(what, where); INSTR and STRPOS take the arguments in the opposite order. */
const position = searching('position', INTEGER);

/**
 * REPLACE ignores case if the searched text is stored in lower case; otherwise it is case-sensitive, because the rest keeps
 * its case.
 */
function replaced([text, what, by]: readonly Expression[], site: CallSite): Expression {
  return callOf('replace', TEXT, [text, soughtIn(text, what, site), by]);
}

/** TRIM(text[, characters]): the characters match like the search text of REPLACE. */
const trimmed =
  (name: 'trim' | 'ltrim' | 'rtrim'): Make =>
  ([text, characters], site) =>
    callOf(name, TEXT, characters === undefined ? [text] : [text, soughtIn(text, characters, site)]);

const BLANK = constantOf(TEXT, ' ');

const padded =
  (name: 'lpad' | 'rpad'): Make =>
  ([text, length, by = BLANK]) =>
    callOf(name, TEXT, [text, length, by]);

export const TEXT_FUNCTIONS: readonly SqlFunction[] = [
  { names: ['upper', 'ucase'], parameters: ['text'], make: cased('upper') },
  { names: ['lower', 'lcase'], parameters: ['text'], make: cased('lower') },
  {
    names: ['length', 'len', 'char_length', 'character_length'],
    parameters: ['text'],
    make: calling('length', INTEGER),
  },
  { names: ['trim', 'btrim'], parameters: ['text'], optional: ['text'], make: trimmed('trim') },
  { names: ['ltrim'], parameters: ['text'], optional: ['text'], make: trimmed('ltrim') },
  { names: ['rtrim'], parameters: ['text'], optional: ['text'], make: trimmed('rtrim') },
  {
    names: ['substring', 'substr', 'mid'],
    parameters: ['text', 'integer'],
    optional: ['integer'],
    make: calling('substring'),
  },
  { names: ['left'], parameters: ['text', 'integer'], make: calling('left') },
  { names: ['right'], parameters: ['text', 'integer'], make: calling('right') },
  { names: ['replace'], parameters: ['text', 'text', 'text'], make: replaced },
  { names: ['concat'], parameters: ['words'], rest: 'words', make: calling('concat') },
  { names: ['reverse'], parameters: ['text'], make: calling('reverse') },
  { names: ['position', 'charindex', 'locate'], parameters: ['text', 'text'], make: position },
  {
    names: ['instr', 'strpos'],
    parameters: ['text', 'text'],
    make: ([where, what], site) => position([what, where], site),
  },
  { names: ['lpad'], parameters: ['text', 'integer'], optional: ['text'], make: padded('lpad') },
  { names: ['rpad'], parameters: ['text', 'integer'], optional: ['text'], make: padded('rpad') },
  { names: ['repeat', 'replicate'], parameters: ['text', 'integer'], make: calling('repeat') },
  { names: ['space'], parameters: ['integer'], make: ([count]) => callOf('repeat', TEXT, [BLANK, count]) },
  {
    names: ['starts_with', 'startswith', 'prefix'],
    parameters: ['text', 'text'],
    make: searching('starts-with', BOOLEAN),
  },
  {
    names: ['ends_with', 'endswith', 'suffix'],
    parameters: ['text', 'text'],
    make: searching('ends-with', BOOLEAN),
  },
  { names: ['contains'], parameters: ['text', 'text'], make: searching('contains', BOOLEAN) },
];
