/** PREPARE and EXECUTE, the statements of SQL for prepared statements. */
import * as sql from '../../../sql/index.js';
import { isSign, type PostgresStatement, type Token } from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';
import { TYPE, TYPES_BY_NAME } from '../../protocol/types.js';
import { newPortal, newPrepared, type Portal, type PreparedStatement } from '../portal.js';
import { isName } from './table-names.js';

/** The statements that can be prepared. */
const PREPARABLE: ReadonlySet<string> = new Set([
  ...['SELECT', 'VALUES', 'WITH', 'TABLE', 'INSERT', 'UPDATE', 'DELETE', '('],
]);

const syntaxError = (what: string): Error => new ProtocolError('42601', what);

const nameOf = (token: Token): string => {
  if (!isName(token)) throw syntaxError('a prepared statement has a name');
  return token.kind === 'word' ? token.text.toLowerCase() : token.text;
};

/** PREPARE name [(type, ...)] AS statement. `text`: the text to which the positions refer. Throws 42601, 42704. */
export function readPrepare(
  statement: PostgresStatement,
  text: string,
): { readonly name: string; readonly prepared: PreparedStatement } {
  const { tokens } = statement;
  const name = nameOf(tokens[1]);
  let at = 2;
  const types: number[] = [];
  if (isSign(tokens[at], '(')) {
    do {
      const words: string[] = [];
      while (tokens[++at].kind === 'word' || tokens[at].kind === 'bracketed') words.push(tokens[at].text);
      if (isSign(tokens[at], '(')) while (!isSign(tokens[at++], ')') && tokens[at].kind !== 'end');
      types.push(typeNamed(words.join(' ')));
    } while (isSign(tokens[at], ','));
    if (!isSign(tokens[at++], ')')) throw syntaxError('the list of types is not closed');
  }
  if (tokens[at]?.upper !== 'AS') throw syntaxError('the syntax is PREPARE name [(type, ...)] AS statement');
  const inner = sql.statementAfter(statement, at + 1, text);
  const [first] = inner.tokens;
  if (!PREPARABLE.has(first.upper || first.text)) {
    throw syntaxError('SELECT, VALUES, INSERT, UPDATE and DELETE can be prepared');
  }
  const count = Math.max(types.length, inner.parameterCount);
  const filled = Array.from({ length: count }, (_, index) => types[index] ?? 0);
  return { name, prepared: newPrepared(text, inner, filled) };
}

function typeNamed(name: string): number {
  const id = TYPES_BY_NAME.get(name.toLowerCase().replace('pg_catalog ', ''));
  if (id === undefined) throw new ProtocolError('42704', `there is no type ${JSON.stringify(name)}`);
  return id === TYPE.unknown ? 0 : id;
}

/** EXECUTE name [(literal, ...)]. */
export interface ExecuteStatement {
  readonly name: string;
  readonly args: readonly { readonly text: string | null; readonly typeId: number }[];
}

/** Throws 42601 for another form, and for arguments that are not literals. */
export function readExecute({ tokens }: PostgresStatement): ExecuteStatement {
  const name = nameOf(tokens[1]);
  const args: { text: string | null; typeId: number }[] = [];
  let at = 2;
  if (isSign(tokens[at], '(')) {
    do {
      const isNegative = isSign(tokens[++at], '-');
      if (isNegative) at++;
      const literal = literalOf(tokens[at++]);
      args.push(isNegative ? { ...literal, text: `-${literal.text}` } : literal);
      while (isSign(tokens[at], '::')) at += 2;
    } while (isSign(tokens[at], ','));
    if (!isSign(tokens[at++], ')')) throw syntaxError('the arguments of EXECUTE are literals');
  }
  if (tokens[at]?.kind !== 'end') throw syntaxError('the syntax is EXECUTE name [(literal, ...)]');
  return { name, args };
}

function literalOf({ kind, text, upper }: Token): ExecuteStatement['args'][number] {
  if (kind === 'number') return { text, typeId: TYPE.numeric };
  if (kind === 'single') return { text, typeId: 0 };
  if (upper === 'NULL') return { text: null, typeId: 0 };
  if (upper === 'TRUE' || upper === 'FALSE') return { text: upper.toLowerCase(), typeId: TYPE.bool };
  throw syntaxError('the arguments of EXECUTE are literals');
}

/** The portal of EXECUTE. Throws 42601 for another number of arguments. */
export function executedPortal(
  prepared: PreparedStatement,
  { name, args }: ExecuteStatement,
  outer: Portal,
): Portal {
  const { typeIds } = prepared;
  if (args.length !== typeIds.length) {
    const required = `prepared statement ${JSON.stringify(name)} requires ${typeIds.length} parameters`;
    throw syntaxError(`${required}, not ${args.length}`);
  }
  const typed = { ...prepared, typeIds: typeIds.map((id, at) => (id === 0 ? args[at].typeId : id)) };
  const values = args.map(({ text }) => (text === null ? null : Buffer.from(text)));
  const portal = newPortal(
    typed,
    values,
    values.map(() => 0),
    outer.formats,
  );
  outer.waiting.alsoOnCancel(() => portal.waiting.cancel(outer.waiting.isLate));
  return portal;
}
