/** A SELECT as a tree of pieces, which is printed for each engine, and reduced if it shows a difference. */
import { type Piece, type Printed, piece, print } from '../support/sql/sql-piece.js';

export interface OrderKey {
  readonly of: Piece;
  readonly descending: boolean;
  /** The equal item of SELECT, which may be referred to by its number or alias. */
  readonly item: number | null;
  readonly by: 'expression' | 'number' | 'alias';
}

export interface Select {
  readonly distinct: boolean;
  readonly items: readonly Piece[];
  /** Whether each item has its alias of the other engines (`c0` and so on) in Quarry too. */
  readonly aliases: readonly boolean[];
  /** FROM with its joins. */
  readonly from: Printed;
  readonly where: Piece | null;
  readonly groupBy: readonly Piece[];
  /** Additional grouping key of the other engines, for a SELECT in which Quarry makes each entity a group. */
  readonly groupBeside: string | null;
  readonly having: Piece | null;
  /** Quarry's conditions on events, which the other engines have in FROM or WHERE. */
  readonly havingBeside: string | null;
  readonly order: readonly OrderKey[];
  readonly limit: number | null;
  readonly offset: number;
  /** WHERE and the items depend on each other: a reduced statement would have another meaning. */
  readonly bound: boolean;
  /** Quarry gets `*`, which ends with the score. */
  readonly star: boolean;
  /** Rows that compare as equal are equal. */
  readonly total: boolean;
}

const comparable = (of: Piece): Piece =>
  of.type === 'text' && !of.tame
    ? piece(of, { quarry: of.forms.quarry, duck: `lower(${of.forms.duck})`, lite: null }, of.parts)
    : of;

type Engine = keyof Printed;

function orderText({ of, descending, item, by }: OrderKey, engine: Engine): string | null {
  const named = item === null || by === 'expression' ? null : by === 'number' ? String(item + 1) : `c${item}`;
  // A literal alone would be the number of an item.
  const other = item === null ? comparable(of).forms : null;
  const text =
    engine === 'quarry'
      ? (named ?? print(of).quarry)
      : other === null
        ? `c${item}`
        : print({ ...of, forms: other })[engine];
  if (text === null) return null;
  return `${text}${descending ? ' DESC' : engine === 'quarry' ? '' : ' ASC'}${engine === 'quarry' ? '' : ' NULLS LAST'}`;
}

/** null if the engine cannot express it. */
function printFor(select: Select, engine: Engine): string | null {
  const items = select.items.map((item, at) => {
    const text = print(item)[engine];
    return text === null ? null : `${text}${engine !== 'quarry' || select.aliases[at] ? ` AS c${at}` : ''}`;
  });
  const where = select.where === null ? null : print(select.where)[engine];
  const having = select.having === null ? null : print(select.having)[engine];
  const groups: (string | null)[] = select.groupBy.map((key) => print(key)[engine]);
  if (engine !== 'quarry' && select.groupBeside !== null) groups.push(select.groupBeside);
  const order =
    select.distinct && engine !== 'quarry'
      ? orderByNumbers(select)
      : select.order.map((key) => orderText(key, engine));
  const needed = [...items, ...groups, ...order, select.from[engine]];
  if (needed.includes(null)) return null;
  if ((select.where !== null && where === null) || (select.having !== null && having === null)) return null;
  const havings = [
    ...(having === null ? [] : [having]),
    ...(engine === 'quarry' && select.havingBeside !== null ? [select.havingBeside] : []),
  ];
  return [
    `SELECT ${select.distinct ? 'DISTINCT ' : ''}${select.star && engine === 'quarry' ? '*' : items.join(', ')}`,
    select.from[engine] === '' ? '' : ` FROM ${select.from[engine]}`,
    where === null ? '' : ` WHERE ${where}`,
    groups.length === 0 ? '' : ` GROUP BY ${groups.join(', ')}`,
    havings.length === 0 ? '' : ` HAVING ${havings.join(' AND ')}`,
    order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`,
    select.limit === null
      ? select.offset > 0 && engine === 'lite'
        ? ' LIMIT -1'
        : ''
      : ` LIMIT ${select.limit}`,
    select.offset === 0 ? '' : ` OFFSET ${select.offset}`,
  ].join('');
}

/** With DISTINCT other engines use item numbers. Texts that are not lower-case cannot be sorted there. */
function orderByNumbers({ order }: Select): string[] {
  return order.map(({ item, descending }) => `${(item ?? 0) + 1}${descending ? ' DESC' : ' ASC'} NULLS LAST`);
}

export function printSelect(select: Select): Printed {
  const [quarry, duck] = [printFor(select, 'quarry'), printFor(select, 'duck')];
  if (quarry === null || duck === null) throw new Error('only SQLite may lack a form of a piece');
  return { quarry, duck, lite: printFor(select, 'lite') };
}

/**
 * The same statement with keys that DuckDB does not rewrite. DuckDB turns NOT a < b into a >= b, and merges a nested
 * AND list into the outer one, and then no longer finds the keys in them.
 */
export function withOpaqueKeys(select: Select): Select {
  const keys = new Set(select.groupBy.filter(({ type }) => type === 'boolean').map((key) => print(key).duck));
  const opaque = (of: Piece): Piece =>
    keys.has(print(of).duck)
      ? { ...of, forms: { ...of.forms, duck: `CAST(${of.forms.duck} AS BOOLEAN)` } }
      : { ...of, parts: of.parts.map(opaque) };
  return {
    ...select,
    items: select.items.map(opaque),
    groupBy: select.groupBy.map(opaque),
    having: select.having === null ? null : opaque(select.having),
    order: select.order.map((key) => ({ ...key, of: opaque(key.of) })),
  };
}

// Smaller statements

function* smallerPieces(of: Piece): Generator<Piece> {
  for (const part of of.parts) if (part.type === of.type && part.scale === of.scale) yield part;
  for (const [at, part] of of.parts.entries()) {
    for (const smaller of smallerPieces(part)) {
      yield { ...of, parts: of.parts.map((other, index) => (index === at ? smaller : other)) };
    }
  }
}

const without = <T>(list: readonly T[], at: number): T[] => list.filter((_, index) => index !== at);

/** Selects with a part removed; not all of them are valid. */
export function* smallerSelects(select: Select): Generator<Select> {
  if (select.where !== null && !select.bound) yield { ...select, where: null };
  if (select.having !== null) yield { ...select, having: null };
  if (select.limit !== null || select.offset > 0) yield { ...select, limit: null, offset: 0 };
  if (select.order.length > 0) yield { ...select, order: [], limit: null, offset: 0, total: false };
  if (select.distinct) yield { ...select, distinct: false };
  if (select.items.length > 1 && !select.star) {
    // The first item may be the one that makes each entity a group.
    for (let at = select.groupBeside === null && !select.bound ? 0 : 1; at < select.items.length; at++) {
      yield {
        ...select,
        items: without(select.items, at),
        aliases: without(select.aliases, at),
        order: [],
        limit: null,
        offset: 0,
        total: false,
      };
    }
  }
  for (let at = select.bound ? 1 : 0; at < select.groupBy.length; at++)
    yield { ...select, groupBy: without(select.groupBy, at) };
  if (select.bound) return;
  if (select.where !== null) for (const where of smallerPieces(select.where)) yield { ...select, where };
  if (select.having !== null) for (const having of smallerPieces(select.having)) yield { ...select, having };
  for (const [at, item] of select.items.entries()) {
    for (const smaller of smallerPieces(item)) {
      yield {
        ...select,
        items: select.items.map((other, index) => (index === at ? smaller : other)),
        order: [],
        limit: null,
        offset: 0,
        total: false,
      };
    }
  }
  for (const [at, key] of select.order.entries()) {
    for (const of of smallerPieces(key.of)) {
      yield {
        ...select,
        order: select.order.map((other, index) =>
          index === at ? { ...other, of, item: null, by: 'expression' as const } : other,
        ),
      };
    }
  }
}
