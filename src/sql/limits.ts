/** Bounds of a body of SQL, so that no text, however it was made, holds up the thread that reads it. */

export const STATEMENTS_MAX = 100;
/** Words, names, literals and signs of all statements of a body together, INSERTs left out. */
export const TOKENS_MAX = 100_000;
/** Of those, what the parser of statements sees: keywords, commas and one word per expression. Up to 50 µs each. */
export const SKELETON_WORDS_MAX = 4_000;
/** Parentheses, calls, CASEs and signs inside one another. */
export const EXPRESSION_NESTING_MAX = 64;
/** Operators of one expression above one another: `a + b + c` has two. Whoever walks a tree may recurse. */
export const EXPRESSION_HEIGHT_MAX = 1_000;
export const JOINS_MAX = 32;
/** Names between INTO and VALUES: an event takes two. */
export const INSERT_NAMES_MAX = 200_000;
/** Literals of all INSERTs of a body. */
export const INSERT_VALUES_MAX = 1_000_000;
/** $1 to $n of a statement in the dialect of Postgres, whose protocol counts them in 16 bits. */
export const PARAMETERS_MAX = 65_535;
