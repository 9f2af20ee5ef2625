/** x AT TIME ZONE zone as a call of TIMEZONE. */
import type { SourcePosition, SqlNode } from './tree.js';

/** Types of PostgreSQL that are times without a zone. */
const LOCAL_TYPES: ReadonlySet<string> = new Set([
  ...['timestamp', 'timestamp without time zone', 'datetime', 'datetime2', 'smalldatetime'],
]);
/** Functions whose result is a time without a zone. */
const LOCAL_CALLS: ReadonlySet<string> = new Set([
  'make_timestamp',
  'localtimestamp',
  'strptime',
  'try_strptime',
]);
/** Functions that keep the type of their last argument. */
const KEEPING_CALLS: ReadonlySet<string> = new Set([
  'date_trunc',
  'datetrunc',
  'dateadd',
  'date_add',
  'date_bin',
]);

/**
 * Whether PostgreSQL gives the expression the type TIMESTAMP without a zone. Only its form can tell: columns, and datetimes made of
 * them, are instants.
 */
function isWrittenLocal(node: SqlNode): boolean {
  switch (node.is) {
    case 'cast':
      return LOCAL_TYPES.has(node.typeName);
    case 'arithmetic':
      return isWrittenLocal(node.left) || isWrittenLocal(node.right);
    case 'call': {
      if (LOCAL_CALLS.has(node.name)) return true;
      const last = node.args.at(-1);
      return KEEPING_CALLS.has(node.name) && last !== undefined && isWrittenLocal(last);
    }
    default:
      return false;
  }
}

export function zoneCall(of: SqlNode, zone: SqlNode, position: SourcePosition): SqlNode {
  const name = isWrittenLocal(of) ? 'timezone local' : 'timezone';
  return { is: 'call', name, args: [zone, of], distinct: false, position, parenthesized: false };
}
