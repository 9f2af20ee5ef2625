/**
 * Parsed SQL statements as a tree of our own, independent of the statement parser. Names are as written and not resolved yet.
 * Every node has the source position where it begins, for messages.
 */

/** Line and column in the body, from 1; columns count code points. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

interface Node {
  readonly position: SourcePosition;
  /** Whether the node was parenthesized. */
  readonly parenthesized: boolean;
}

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type SqlNode = Node &
  /** Digits as written, with sign, fraction and exponent. */
  (
    | { readonly is: 'number'; readonly text: string }
    /** Unescaped contents. In double quotes: a column if one has that name, otherwise a string. */
    | { readonly is: 'string'; readonly text: string; readonly quotes: 'single' | 'double' }
    | { readonly is: 'boolean'; readonly value: boolean }
    | { readonly is: 'null' }
    /** [clicks.value] is the single name `clicks.value`; `table` is the qualifier outside brackets, or null. */
    | { readonly is: 'column'; readonly table: string | null; readonly name: string }
    /** In SELECT and in COUNT(*). */
    | { readonly is: 'star'; readonly table: string | null }
    | { readonly is: 'negative'; readonly of: SqlNode }
    | { readonly is: 'not'; readonly of: SqlNode }
    | { readonly is: 'and' | 'or'; readonly left: SqlNode; readonly right: SqlNode }
    | {
        readonly is: 'compare';
        readonly comparison: ComparisonOperator;
        readonly left: SqlNode;
        readonly right: SqlNode;
      }
    | {
        readonly is: 'arithmetic';
        readonly operator: '+' | '-' | '*' | '/' | '%' | '||';
        readonly left: SqlNode;
        readonly right: SqlNode;
      }
    | {
        readonly is: 'between';
        readonly of: SqlNode;
        readonly low: SqlNode;
        readonly high: SqlNode;
        readonly negated: boolean;
      }
    | {
        readonly is: 'in';
        readonly of: SqlNode;
        readonly values: readonly SqlNode[];
        readonly negated: boolean;
      }
    | {
        readonly is: 'like';
        readonly of: SqlNode;
        readonly pattern: SqlNode;
        readonly escape: string | null;
        readonly negated: boolean;
      }
    | { readonly is: 'is-null'; readonly of: SqlNode; readonly negated: boolean }
    | {
        readonly is: 'case';
        /** CASE x WHEN 1 ...; null = CASE WHEN x = 1 ... */
        readonly of: SqlNode | null;
        readonly branches: readonly { readonly when: SqlNode; readonly then: SqlNode }[];
        readonly otherwise: SqlNode | null;
      }
    | {
        readonly is: 'cast';
        readonly of: SqlNode;
        /** Lower-case: 'decimal', 'varchar', ... */
        readonly typeName: string;
        readonly precision: number | null;
        readonly scale: number | null;
        /** TRY_CAST. */
        readonly lenient: boolean;
      }
    /** Functions and aggregates; `name` is in lower case. */
    | {
        readonly is: 'call';
        readonly name: string;
        readonly args: readonly SqlNode[];
        readonly distinct: boolean;
      }
  );

export interface SelectItem {
  readonly of: SqlNode;
  readonly alias: string | null;
}

export interface TableName {
  readonly name: string;
  readonly alias: string | null;
  readonly position: SourcePosition;
}

export interface JoinClause {
  readonly table: TableName;
  readonly kind: 'inner' | 'left';
  readonly on: SqlNode;
}

export interface SelectStatement {
  readonly is: 'select';
  readonly position: SourcePosition;
  readonly explain: 'no' | 'plan' | 'analyze';
  readonly distinct: boolean;
  readonly items: readonly SelectItem[];
  readonly from: TableName | null;
  readonly joins: readonly JoinClause[];
  readonly where: SqlNode | null;
  readonly groupBy: readonly SqlNode[];
  readonly having: SqlNode | null;
  readonly orderBy: readonly { readonly of: SqlNode; readonly descending: boolean }[];
  readonly limit: { readonly count: number; readonly position: SourcePosition } | null;
  readonly offset: number;
}

export interface InsertStatement {
  readonly is: 'insert';
  readonly position: SourcePosition;
  readonly table: TableName;
  readonly columns: readonly { readonly name: string; readonly position: SourcePosition }[];
  /** Only literals (number, string, boolean, null, negative number). */
  readonly rows: readonly (readonly SqlNode[])[];
}

export interface UpdateStatement {
  readonly is: 'update';
  readonly position: SourcePosition;
  readonly table: TableName;
  readonly set: readonly {
    readonly column: string;
    readonly position: SourcePosition;
    readonly value: SqlNode;
  }[];
  readonly where: SqlNode | null;
}

export interface DeleteStatement {
  readonly is: 'delete';
  readonly position: SourcePosition;
  readonly table: TableName;
  readonly where: SqlNode | null;
}

export type WriteStatement = InsertStatement | UpdateStatement | DeleteStatement;

/** A body: one or more statements, all SELECTs or all writes. */
export type Script =
  | { readonly kind: 'reads'; readonly statements: readonly SelectStatement[] }
  | { readonly kind: 'writes'; readonly statements: readonly WriteStatement[] };
