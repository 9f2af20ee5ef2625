/** Parses DECLARE, FETCH, MOVE and CLOSE from their tokens. */
import { characterAt, isSign, type PostgresStatement, type Token } from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';
import { isName } from '../queries/table-names.js';
import type { Fetch } from './cursor.js';

export interface DeclareStatement {
  readonly name: string;
  readonly isBinary: boolean;
  readonly isScroll: boolean;
  readonly withHold: boolean;
  /** The query after FOR; its positions refer to the whole text. */
  readonly query: PostgresStatement;
}

const syntax = (what: string): ProtocolError => new ProtocolError('42601', what);

/** A name: in lower case unless it is quoted. */
export function nameIn(token: Token | undefined, what: string): string {
  if (token === undefined || !isName(token)) throw syntax(`${what} requires the name of a cursor`);
  return token.kind === 'word' ? token.text.toLowerCase() : token.text;
}

/** DECLARE name [BINARY] [INSENSITIVE | ASENSITIVE] [[NO] SCROLL] CURSOR [{WITH | WITHOUT} HOLD] FOR query. `text`: the whole text. */
export function readDeclare(
  { text: own, tokens, parameterCount }: PostgresStatement,
  text: string,
): DeclareStatement {
  const name = nameIn(tokens[1], 'DECLARE');
  const cursor = tokens.findIndex(({ upper }, at) => at > 1 && upper === 'CURSOR');
  const begins = tokens.findIndex(({ upper }, at) => at > cursor && upper === 'FOR');
  if (cursor === -1 || begins === -1 || begins + 1 >= tokens.length - 1) {
    throw syntax('the syntax of DECLARE is DECLARE name [SCROLL | NO SCROLL] CURSOR [WITH HOLD] FOR query');
  }
  const options = tokens.slice(2, cursor).map(({ upper }) => upper);
  const hold = tokens
    .slice(cursor + 1, begins)
    .map(({ upper }) => upper)
    .join(' ');
  const unknown = options.find(
    (word) => !['BINARY', 'INSENSITIVE', 'ASENSITIVE', 'NO', 'SCROLL'].includes(word),
  );
  if (unknown !== undefined || !['', 'WITH HOLD', 'WITHOUT HOLD'].includes(hold)) {
    throw syntax(`DECLARE has no option ${JSON.stringify(unknown ?? hold)}`);
  }
  const query = tokens.slice(begins + 1);
  const from = characterAt(text, query[0].position) - characterAt(text, tokens[0].position);
  return {
    name,
    isBinary: options.includes('BINARY'),
    isScroll: options.includes('SCROLL') && !options.includes('NO'),
    withHold: hold === 'WITH HOLD',
    query: { text: Array.from(own).slice(from).join(''), tokens: query, parameterCount },
  };
}

export interface FetchStatement {
  readonly name: string;
  readonly fetch: Fetch;
}

const ALL = Number.POSITIVE_INFINITY;

/** FETCH or MOVE [direction] [FROM | IN] name. */
export function readFetch({ tokens }: PostgresStatement): FetchStatement {
  const words = tokens.filter(({ kind }) => kind !== 'end');
  const [{ upper: verb }] = words;
  const name = nameIn(words.at(-1), verb);
  const isFrom = ['FROM', 'IN'].includes(words.at(-2)?.upper ?? '');
  return { name, fetch: directionOf(words.slice(1, isFrom ? -2 : -1)) };
}

function directionOf(words: readonly Token[]): Fetch {
  const [first, ...rest] = words;
  if (first === undefined) return { is: 'forward', count: 1 };
  const single: Readonly<Record<string, Fetch>> = {
    NEXT: { is: 'forward', count: 1 },
    PRIOR: { is: 'backward', count: 1 },
    FIRST: { is: 'absolute', row: 1 },
    LAST: { is: 'absolute', row: -1 },
    ALL: { is: 'forward', count: ALL },
  };
  const known = single[first.upper];
  if (known !== undefined && rest.length === 0) return known;
  if (first.upper === 'ABSOLUTE') return { is: 'absolute', row: numberIn(rest) };
  if (first.upper === 'RELATIVE') return { is: 'relative', rows: numberIn(rest) };
  const isBackward = first.upper === 'BACKWARD';
  if (!isBackward && first.upper !== 'FORWARD') return towards(numberIn(words));
  if (rest.length === 0) return { is: isBackward ? 'backward' : 'forward', count: 1 };
  const count = rest.length === 1 && rest[0].upper === 'ALL' ? ALL : numberIn(rest);
  return towards(isBackward ? -count : count);
}

/** 0 fetches the current row again. */
const towards = (count: number): Fetch =>
  count < 0 ? { is: 'backward', count: -count } : { is: 'forward', count };

function numberIn(words: readonly Token[]): number {
  const isNegative = isSign(words[0], '-');
  const digits = words.slice(isNegative || isSign(words[0], '+') ? 1 : 0);
  const [number] = digits;
  if (digits.length !== 1 || number.kind !== 'number' || !/^\d{1,9}$/.test(number.text)) {
    throw syntax(
      'FETCH and MOVE require NEXT, PRIOR, FIRST, LAST, ABSOLUTE n, RELATIVE n, n, ALL, FORWARD or BACKWARD',
    );
  }
  return isNegative ? -Number(number.text) : Number(number.text);
}
