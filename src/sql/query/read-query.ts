/** Parses SELECT, VALUES and WITH statements of any form, and EXPLAIN of them. */
import type { Token } from '../tokens.js';
import type { QueryStatement } from '../tree.js';
import { afterQuery } from './clause-order.js';
import { QueryReader } from './query-reader.js';

/** `tokens` are those of one statement. Throws 6000. Takes time linear in their number. */
export function readQuery(tokens: readonly Token[]): QueryStatement {
  const reader = new QueryReader(tokens);
  const { position } = reader.peek();
  const explain = explainOf(reader);
  const query = reader.query();
  if (reader.peek().kind === 'end') return { is: 'query', position, explain, query };
  throw afterQuery(
    tokens[reader.at - 1],
    reader.peek(),
    'a comma, the next clause or the end of the statement',
  );
}

function explainOf(reader: QueryReader): QueryStatement['explain'] {
  if (!reader.acceptKeyword('EXPLAIN')) return 'no';
  return reader.acceptKeyword('ANALYZE') ? 'analyze' : 'plan';
}
