/** Limits of a body of SQL, so that no text can block the thread that parses it. */

export const STATEMENTS_MAX = 100;
/** Maximum number of tokens of all statements of a body together, without INSERTs; a regular expression counts as 1,000. */
export const TOKENS_MAX = 100_000;
/**
 * Maximum number of tokens of the SELECTs of a body that the statement parser reads, at up to 50 µs each. Further ones are read
 * by query/read-query.ts.
 */
export const PARSER_TOKENS_MAX = 1_000;
/** Maximum length of a name in UTF-16 units. Names of the model are much shorter. */
export const NAME_UNITS_MAX = 10_000;
/** Maximum nesting of parentheses, calls, CASEs and signs. */
export const EXPRESSION_NESTING_MAX = 64;
/** Maximum height of an expression tree in operators: `a + b + c` has two. Recursive functions rely on it. */
export const EXPRESSION_HEIGHT_MAX = 1_000;
export const JOINS_MAX = 32;
/** Maximum number of SELECTs and VALUES of a statement, at any depth. Recursive functions over set operations rely on it. */
export const BLOCKS_MAX = 500;
/** Maximum number of grouping sets of a GROUP BY. */
export const GROUPING_SETS_MAX = 4_096;
/** Maximum number of keys of all grouping sets of a statement, written out. */
export const GROUPING_KEYS_MAX = 100_000;
/** Maximum number of names between INTO and VALUES; an event takes two. */
export const INSERT_NAMES_MAX = 200_000;
/** Maximum number of literals of all INSERTs of a body. */
export const INSERT_VALUES_MAX = 1_000_000;
/** Maximum n of $n in the Postgres dialect, whose protocol counts parameters in 16 bits. */
export const PARAMETERS_MAX = 65_535;
