/** Functions of regular expressions. Case is ignored in texts that are stored in lower case, unless the option c is written. */
import { BOOLEAN, type Expression, INTEGER, type ScalarFunction, TEXT } from '../../../ir/index.js';
import { Regex, similarPattern } from '../../../regex/index.js';
import type { SqlType } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import { callOf, castOf, constantOf, integerOf, isNull, isTextConstant } from '../expressions/build.js';
import { isLowerCase } from '../expressions/text-case.js';
import { type CallSite, positioned, type SqlFunction } from './function.js';
import { soughtIn } from './text-edits.js';

type Make = SqlFunction['make'];

const ONE = integerOf(1);
const ZERO = integerOf(0);
const NO_OPTIONS = constantOf(TEXT, '');

/** Throws 6000 with a source position for a constant pattern or constant options that are not valid. */
function check(pattern: Expression, options: Expression, site: CallSite): void {
  if (!isTextConstant(pattern) || !isTextConstant(options)) return;
  positioned(site, () => new Regex(pattern.value, options.value));
}

/** The options, preceded by i if the text is stored in lower case. */
function optionsFor(text: Expression, options: Expression, { scope }: CallSite): Expression {
  const folded = text.op !== 'constant' && isLowerCase(text, scope);
  if (!folded || isNull(options)) return options;
  if (isTextConstant(options)) return constantOf(TEXT, `i${options.value}`);
  return callOf('concat-strict', TEXT, [constantOf(TEXT, 'i'), options]);
}

/** The call over text and pattern, whose options are checked and completed. */
function matching(
  site: CallSite,
  [text, pattern, options]: readonly Expression[],
  make: (options: Expression) => Expression,
): Expression {
  const completed = optionsFor(text, options, site);
  check(pattern, completed, site);
  return make(completed);
}

const like: Make = ([text, pattern, options = NO_OPTIONS], site) =>
  matching(site, [text, pattern, options], (completed) =>
    callOf('regex-like', BOOLEAN, [text, pattern, completed]),
  );

/** REGEXP_FULL_MATCH(text, pattern[, options]): the pattern matches the whole text. */
const fullMatch: Make = ([text, pattern, ...options], site) => {
  if (isTextConstant(pattern)) {
    check(pattern, NO_OPTIONS, site);
    return like([text, constantOf(TEXT, `^(?:${pattern.value})$`), ...options], site);
  }
  const [before, after] = ['^(?:', ')$'].map((part) => constantOf(TEXT, part));
  return like([text, callOf('concat-strict', TEXT, [before, pattern, after]), ...options], site);
};

/** REGEXP_REPLACE(text, pattern, replacement[, options]) or (text, pattern, replacement, start[, occurrence[, options]]). */
const replaced: Make = ([text, pattern, replacement, third, occurrence, last], site) => {
  const withStart = third?.type.type === 'integer' && !isNull(third);
  if (third !== undefined && !withStart && (third.type.type !== 'text' || occurrence !== undefined)) {
    throw sqlError('the fourth argument of REGEXP_REPLACE is a start or a text of options', site.position);
  }
  const options = (withStart ? last : third) ?? NO_OPTIONS;
  const nth = occurrence ?? integerOf(-1);
  return matching(site, [text, pattern, options], (completed) =>
    callOf('regex-replace', TEXT, [text, pattern, replacement, withStart ? third : ONE, nth, completed]),
  );
};

const substring: Make = ([text, pattern, start = ONE, nth = ONE, options = NO_OPTIONS, group = ZERO], site) =>
  matching(site, [text, pattern, options], (completed) =>
    callOf('regex-substring', TEXT, [text, pattern, start, nth, completed, group]),
  );

/** REGEXP_EXTRACT(text, pattern[, group[, options]]): an empty text without a match, as in DuckDB. */
const extracted: Make = ([text, pattern, group = ZERO, options = NO_OPTIONS], site) =>
  matching(site, [text, pattern, options], (completed) => {
    const found = callOf('regex-substring', TEXT, [text, pattern, ONE, ONE, completed, group]);
    const missing = [text, pattern, completed, group].filter(({ op }) => op !== 'constant');
    const empty = missing.reduce<Expression>((none, of) => {
      const when: Expression = { op: 'is-null', type: BOOLEAN, of, negated: false };
      // biome-ignore lint/suspicious/noThenProperty: a keyword of SQL; a branch is never awaited
      return { op: 'case', type: TEXT, branches: [{ when, then: constantOf(TEXT, null) }], otherwise: none };
    }, NO_OPTIONS);
    const isMissing = [text, pattern, completed, group].some(isNull);
    return isMissing ? constantOf(TEXT, null) : { op: 'coalesce', type: TEXT, members: [found, empty] };
  });

const counted: Make = ([text, pattern, start = ONE, options = NO_OPTIONS], site) =>
  matching(site, [text, pattern, options], (completed) =>
    callOf('regex-count', INTEGER, [text, pattern, start, completed]),
  );

const located: Make = (args, site) => {
  const [text, pattern, start = ONE, nth = ONE, end = ZERO, options = NO_OPTIONS, group = ZERO] = args;
  return matching(site, [text, pattern, options], (completed) =>
    callOf('regex-position', INTEGER, [text, pattern, start, nth, end, completed, group]),
  );
};

const TEXTS: SqlType = { type: 'json', items: TEXT };

/** A function of text, pattern and options that returns a list. */
const listing =
  (name: ScalarFunction, type: SqlType = TEXTS): Make =>
  ([text, pattern, options = NO_OPTIONS], site) =>
    matching(site, [text, pattern, options], (completed) =>
      castOf(callOf(name, TEXT, [text, pattern, completed]), type),
    );

/** SIMILAR TO. */
const similar: Make = ([text, pattern, escapedBy], site) => {
  const sought = text.op === 'constant' ? pattern : soughtIn(text, pattern, site);
  const escapeText = escapedBy ?? constantOf(TEXT, '\\');
  if (isTextConstant(escapeText) && /\p{L}/u.test(escapeText.value)) {
    throw sqlError('ESCAPE takes one character that is not a letter', site.position);
  }
  if (isTextConstant(sought) && isTextConstant(escapeText)) {
    positioned(site, () => new Regex(similarPattern(sought.value, escapeText.value)));
  }
  return callOf('similar', BOOLEAN, [text, sought, escapeText]);
};

export const REGEX_FUNCTIONS: readonly SqlFunction[] = [
  { names: ['regexp_like'], parameters: ['text', 'text'], optional: ['text'], make: like },
  { names: ['regexp_full_match'], parameters: ['text', 'text'], optional: ['text'], make: fullMatch },
  {
    names: ['regexp_replace'],
    parameters: ['text', 'text', 'text'],
    optional: ['value', 'integer', 'text'],
    make: replaced,
  },
  {
    names: ['regexp_substr'],
    parameters: ['text', 'text'],
    optional: ['integer', 'integer', 'text', 'integer'],
    make: substring,
  },
  { names: ['regexp_extract'], parameters: ['text', 'text'], optional: ['integer', 'text'], make: extracted },
  { names: ['regexp_count'], parameters: ['text', 'text'], optional: ['integer', 'text'], make: counted },
  {
    names: ['regexp_instr'],
    parameters: ['text', 'text'],
    optional: ['integer', 'integer', 'integer', 'text', 'integer'],
    make: located,
  },
  {
    names: ['regexp_match'],
    parameters: ['text', 'text'],
    optional: ['text'],
    make: listing('regex-match'),
  },
  {
    names: ['regexp_split_to_array', 'string_split_regex', 'str_split_regex'],
    parameters: ['text', 'text'],
    optional: ['text'],
    make: listing('regex-split'),
  },
  {
    // The rows of REGEXP_MATCHES; a name with a blank cannot be written in a statement.
    names: ['regexp matches'],
    parameters: ['text', 'text'],
    optional: ['text'],
    make: listing('regex-matches', { type: 'json', items: TEXTS }),
  },
  { names: ['similar_to'], parameters: ['text', 'text'], optional: ['text'], make: similar },
];
