/**
 * Parsed SQL statements as a tree of our own, independent of the statement parser. Names are as written and not resolved yet.
 * Every node has the source position where it begins, for messages.
 */

/** Line and column in the body, from 1; columns count code points. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** A count of a unit such as DAY. */
export interface Span {
  readonly count: number;
  readonly unit: string;
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
    /** INTERVAL '1 day'. */
    | { readonly is: 'interval'; readonly spans: readonly Span[] }
    /**
     * [clicks.value] is the single name `clicks.value`; `table` is the qualifier outside brackets, or null. `ofLink`, which no text
     * can set: not the event's value or date, but its link to related events.
     */
    | {
        readonly is: 'column';
        readonly table: string | null;
        readonly name: string;
        readonly ofLink?: true;
      }
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
        /** divide and modulo: / and % of PostgreSQL (expression/functions/postgres-calls.ts). */
        readonly operator:
          | '+'
          | '-'
          | '*'
          | '/'
          | '%'
          | '||'
          | '^'
          | '&'
          | '|'
          | '#'
          | '<<'
          | '>>'
          | 'divide'
          | 'modulo';
        /** || and * of PostgreSQL: see `ofPostgres` of calls. Default: false. */
        readonly ofPostgres?: boolean;
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
        /** ILIKE. */
        readonly ignoresCase: boolean;
        readonly negated: boolean;
      }
    | { readonly is: 'is-null'; readonly of: SqlNode; readonly negated: boolean }
    | {
        readonly is: 'case';
        /** CASE x WHEN 1 ...; null = CASE WHEN x = 1 ... */
        readonly of: SqlNode | null;
        readonly branches: readonly { readonly when: SqlNode; readonly then: SqlNode }[];
        readonly otherwise: SqlNode | null;
        /** It was written as an operator. Default: false. */
        readonly isOperator?: boolean;
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
        /**
         * PostgreSQL's cast: DECIMAL(p, s) refuses values of more than p digits, DECIMAL alone keeps the digits of the
         * operand, and numbers become the texts that PostgreSQL prints. Default: false.
         */
        readonly limitsDigits?: boolean;
      }
    /** Functions and aggregates; `name` is in lower case. */
    | {
        readonly is: 'call';
        readonly name: string;
        readonly args: readonly SqlNode[];
        readonly distinct: boolean;
        /**
         * The call has PostgreSQL's rules: results of decimals are decimals with all digits, and numbers become the texts that
         * PostgreSQL prints. Default: false.
         */
        readonly ofPostgres?: boolean;
        /** It was written as an operator. Default: false. */
        readonly isOperator?: boolean;
      }
    /** AGGREGATE(...) FILTER (WHERE condition). */
    | {
        readonly is: 'filtered';
        readonly call: CallNode;
        readonly where: SqlNode;
        /** ORDER BY inside the call; absent = none. */
        readonly orderBy?: readonly OrderKey[];
      }
    /** AGGREGATE(... ORDER BY ...) or AGGREGATE(...) WITHIN GROUP (ORDER BY ...). */
    | { readonly is: 'ordered'; readonly call: CallNode; readonly orderBy: readonly OrderKey[] }
    /** FUNCTION(...) OVER window. */
    | {
        readonly is: 'over';
        readonly call: CallNode;
        /** FILTER (WHERE condition), or null. */
        readonly where: SqlNode | null;
        readonly window: WindowDefinition;
      }
    /** A scalar subquery. */
    | { readonly is: 'subquery'; readonly query: Query }
    | { readonly is: 'exists'; readonly query: Query }
    /** `of` IN (query), or `of` comparison ANY/ALL (query). Several operands are a row value. */
    | {
        readonly is: 'in-query';
        readonly of: readonly SqlNode[];
        readonly comparison: ComparisonOperator;
        readonly quantifier: 'any' | 'all';
        readonly negated: boolean;
        readonly query: Query;
      }
  );

export type CallNode = Extract<SqlNode, { readonly is: 'call' }>;

export interface SelectItem {
  readonly of: SqlNode;
  readonly alias: string | null;
}

export interface TableName {
  readonly name: string;
  readonly alias: string | null;
  readonly position: SourcePosition;
  /** The database in database.public.name; null in public.name. Absent = the name is written alone. */
  readonly database?: string | null;
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
  readonly orderBy: readonly OrderKey[];
  readonly limit: { readonly count: number; readonly position: SourcePosition } | null;
  readonly offset: number;
}

export interface OrderKey {
  readonly of: SqlNode;
  readonly descending: boolean;
  /** NULLS FIRST or LAST; null = not written. LAST is left out of a flat SELECT, where it is the default. */
  readonly missing: 'first' | 'last' | null;
}

export interface WindowDefinition {
  /** A window of the WINDOW clause that this one extends; null = none. */
  readonly base: string | null;
  readonly partitionBy: readonly SqlNode[];
  readonly orderBy: readonly OrderKey[];
  /** null = not written. */
  readonly frame: FrameClause | null;
  readonly position: SourcePosition;
}

export interface FrameClause {
  readonly mode: 'rows' | 'range' | 'groups';
  readonly start: FrameEdge;
  readonly end: FrameEdge;
  /** null = EXCLUDE NO OTHERS. */
  readonly exclude: 'current-row' | 'group' | 'ties' | null;
}

/** first: UNBOUNDED PRECEDING; last: UNBOUNDED FOLLOWING; current: CURRENT ROW. */
export type FrameEdge =
  | { readonly at: 'first' | 'current' | 'last' }
  | { readonly at: 'preceding' | 'following'; readonly offset: SqlNode };

/** A SELECT that `SelectStatement` cannot represent: with subqueries, set operations, windows, any kind of join. */
export interface QueryStatement {
  readonly is: 'query';
  readonly position: SourcePosition;
  readonly explain: 'no' | 'plan' | 'analyze';
  readonly query: Query;
}

export interface Query {
  readonly position: SourcePosition;
  /** WITH; each table sees those before it. */
  readonly tables: readonly CommonTable[];
  readonly body: QueryBody;
  readonly orderBy: readonly OrderKey[];
  readonly limit: { readonly count: number; readonly position: SourcePosition } | null;
  /** FETCH FIRST ... WITH TIES. */
  readonly withTies: boolean;
  readonly offset: number;
}

export interface CommonTable {
  readonly name: string;
  /** null = those of the query. */
  readonly columnNames: readonly string[] | null;
  readonly query: Query;
  /** WITH RECURSIVE. */
  readonly recursive: boolean;
  readonly position: SourcePosition;
}

export type QueryBody =
  | SelectBlock
  | {
      readonly is: 'set';
      readonly operator: 'union' | 'intersect' | 'except';
      readonly all: boolean;
      readonly left: QueryBody;
      readonly right: QueryBody;
      readonly position: SourcePosition;
    }
  | {
      readonly is: 'values';
      readonly rows: readonly (readonly SqlNode[])[];
      readonly position: SourcePosition;
    }
  /** A parenthesized query with WITH, ORDER BY, LIMIT or OFFSET of its own. */
  | { readonly is: 'nested'; readonly query: Query; readonly position: SourcePosition };

export interface SelectBlock {
  readonly is: 'block';
  readonly position: SourcePosition;
  readonly distinct: boolean;
  /** DISTINCT ON (...); null = not written. */
  readonly distinctOn: readonly SqlNode[] | null;
  readonly items: readonly SelectItem[];
  /** Separated by commas; empty = no FROM. */
  readonly from: readonly FromItem[];
  readonly where: SqlNode | null;
  readonly groupBy: readonly GroupingElement[];
  readonly having: SqlNode | null;
  readonly windows: readonly { readonly name: string; readonly window: WindowDefinition }[];
  readonly qualify: SqlNode | null;
}

export type GroupingElement =
  | { readonly is: 'key'; readonly of: SqlNode }
  /** GROUPING SETS, ROLLUP and CUBE, written out as sets. */
  | { readonly is: 'sets'; readonly sets: readonly (readonly SqlNode[])[] };

export type FromItem =
  | ({ readonly is: 'table' } & TableName & { readonly columnNames: readonly string[] | null })
  | {
      readonly is: 'derived';
      readonly query: Query;
      /** null = the table has no name. */
      readonly alias: string | null;
      readonly columnNames: readonly string[] | null;
      readonly lateral: boolean;
      readonly position: SourcePosition;
    }
  /** A function that returns rows; its arguments may read the tables before it. */
  | {
      readonly is: 'function';
      readonly name: string;
      readonly args: readonly SqlNode[];
      readonly alias: string | null;
      readonly columnNames: readonly string[] | null;
      readonly position: SourcePosition;
    }
  | {
      readonly is: 'join';
      readonly kind: 'inner' | 'left' | 'right' | 'full' | 'cross';
      readonly left: FromItem;
      readonly right: FromItem;
      readonly natural: boolean;
      readonly using: readonly { readonly name: string; readonly position: SourcePosition }[] | null;
      readonly on: SqlNode | null;
      readonly position: SourcePosition;
    };

export interface NamedColumn {
  readonly name: string;
  readonly position: SourcePosition;
}

/** RETURNING: columns of the written rows; null = not written. */
interface Returning {
  readonly returning: readonly SelectItem[] | null;
}

/** ON CONFLICT: what happens to the rows whose entity exists. */
export interface Conflict {
  readonly position: SourcePosition;
  /** The column in parentheses; null = not written. */
  readonly target: NamedColumn | null;
  /** DO UPDATE SET; null = DO NOTHING. */
  readonly update: Pick<UpdateStatement, 'set' | 'where'> | null;
}

/** What INSERT, UPDATE and DELETE have in common. */
interface Write extends Returning {
  readonly position: SourcePosition;
  readonly table: TableName;
  /** WITH before the statement. */
  readonly tables: readonly CommonTable[];
}

interface Insert extends Write {
  readonly columns: readonly NamedColumn[];
  /** null = rows change the named columns of entities that exist. */
  readonly conflict: Conflict | null;
}

export interface InsertStatement extends Insert {
  readonly is: 'insert';
  /** Only literals (number, string, boolean, null, negative number). */
  readonly rows: readonly (readonly SqlNode[])[];
}

/** INSERT INTO table (columns) SELECT ... */
export interface InsertQueryStatement extends Insert {
  readonly is: 'insert-query';
  readonly query: QueryStatement;
}

export interface UpdateStatement extends Write {
  readonly is: 'update';
  readonly set: readonly {
    readonly column: string;
    readonly position: SourcePosition;
    readonly value: SqlNode;
  }[];
  /** FROM: further tables that the values and the condition read. */
  readonly from: readonly FromItem[];
  readonly where: SqlNode | null;
}

export interface DeleteStatement extends Write {
  readonly is: 'delete';
  /** USING: further tables that the condition reads. */
  readonly from: readonly FromItem[];
  readonly where: SqlNode | null;
  /** It was written as TRUNCATE. */
  readonly truncates?: true;
}

export type ReadStatement = SelectStatement | QueryStatement;
export type WriteStatement = InsertStatement | InsertQueryStatement | UpdateStatement | DeleteStatement;

/** A column of CREATE TABLE. */
export interface NewColumn extends NamedColumn {
  readonly typeName: string;
  readonly precision: number | null;
  readonly scale: number | null;
  /** PRIMARY KEY. */
  readonly isKey: boolean;
  /** NOT NULL. */
  readonly isPresent: boolean;
}

export interface CreateTableStatement {
  readonly is: 'create-table';
  /** Only the session has the table. */
  readonly temporary: boolean;
  readonly position: SourcePosition;
  readonly table: TableName;
  readonly ifNotExists: boolean;
  /** null = those of `query`. */
  readonly columns: readonly NewColumn[] | null;
  /** AS query; null = the table is empty. */
  readonly query: QueryStatement | null;
  readonly onCommit: OnCommit;
}

/** What happens to a temporary table at the end of a transaction. */
export type OnCommit = 'preserve' | 'delete rows' | 'drop';

export interface DropTableStatement {
  readonly is: 'drop-table';
  readonly position: SourcePosition;
  readonly tables: readonly TableName[];
  readonly ifExists: boolean;
  /** DROP VIEW. */
  readonly ofView: boolean;
}

/** CREATE VIEW, or CREATE TEMP VIEW for a view that only the session has. */
export interface CreateViewStatement {
  readonly is: 'create-view';
  readonly temporary: boolean;
  readonly position: SourcePosition;
  readonly table: TableName;
  /** OR REPLACE. */
  readonly replaces: boolean;
  /** null = those of the query. */
  readonly columnNames: readonly string[] | null;
  readonly query: QueryStatement;
  /** The position after the query, which begins at its own position. */
  readonly end: SourcePosition;
}

/** ALTER TABLE name RENAME TO other, also of a view. */
export interface RenameTableStatement {
  readonly is: 'rename-table';
  readonly position: SourcePosition;
  readonly table: TableName;
  readonly to: { readonly name: string; readonly position: SourcePosition };
  readonly ifExists: boolean;
  /** ALTER VIEW. */
  readonly ofView: boolean;
}

export interface DroppedColumn extends NamedColumn {
  readonly ifExists: boolean;
}

/** ALTER TABLE name with ADD COLUMN and DROP COLUMN. Columns are dropped before others are added. */
export interface AlterTableStatement {
  readonly is: 'alter-table';
  readonly position: SourcePosition;
  readonly table: TableName;
  readonly ifExists: boolean;
  readonly added: readonly (NewColumn & { readonly ifNotExists: boolean })[];
  readonly dropped: readonly DroppedColumn[];
}

export type ModelStatement =
  | AlterTableStatement
  | CreateTableStatement
  | CreateViewStatement
  | DropTableStatement
  | RenameTableStatement;

/** A body: one or more statements, all SELECTs or all writes, or one that changes the model. */
export type Script =
  | { readonly kind: 'reads'; readonly statements: readonly ReadStatement[] }
  | { readonly kind: 'writes'; readonly statements: readonly WriteStatement[] }
  | { readonly kind: 'model'; readonly statements: readonly [ModelStatement] };
