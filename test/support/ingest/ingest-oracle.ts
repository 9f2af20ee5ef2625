/**
 * The oracle of the insert parser: the meaning of a body by the rules of the interface, one value at a time. It shares
 * no code with the parser.
 */
import type { Column, ColumnType, DatabaseModel, Relation, TextCase } from '../../../src/schema/index.js';
import { BadJson, type JsonNode, parseTree } from '../json-tree.js';

/** The resulting content of one column of one entity. Values in canonical text. */
export type OracleValues =
  | { readonly form: 'latest'; readonly value: string }
  | { readonly form: 'remove' }
  | { readonly form: 'list'; readonly values: readonly string[] }
  | { readonly form: 'event'; readonly relationId: number; readonly events: readonly string[] };

export interface OracleEntity {
  readonly id: string;
  readonly dimensionId: number;
  readonly columns: ReadonlyMap<number, OracleValues>;
}

export interface OracleResult {
  readonly entities: readonly OracleEntity[];
  readonly valueCount: number;
  readonly createdDimensions: readonly { id: number; apiName: string }[];
  readonly createdColumns: readonly { dimensionId: number; column: Column }[];
}

export class OracleError extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`fault ${code}`);
    this.code = code;
  }
}

const fail = (code: number): never => {
  throw new OracleError(code);
};

export function lower(text: string): string {
  return Array.from(text, (point) => {
    if (point === '\u0130') return 'i';
    const mapped = point.toLowerCase();
    return [...mapped].length === 1 ? mapped : point;
  }).join('');
}

/** Seconds of a date or datetime text, by JavaScript's Date; null if the text is not a date. */
function seconds(text: string, allow: { date: boolean; time: boolean }): number | null {
  const match = /^(\d{4}-\d\d-\d\d)(?:[tT](\d\d:\d\d:\d\d)(?:\.\d{1,9})?([zZ]|[+-]\d\d:\d\d))?$/.exec(text);
  if (match === null || !(match[2] === undefined ? allow.date : allow.time)) return null;
  const plain = `${match[1]}T${match[2] ?? '00:00:00'}.000Z`;
  const ms = Date.parse(plain);
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== plain) return null;
  const zone = match[3] ?? 'Z';
  if (zone.toUpperCase() === 'Z') return ms / 1000;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (hours > 23 || minutes > 59) return null;
  return ms / 1000 - (zone[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** digits x 10^exponent with no trailing zero in digits. */
function exact(text: string): { digits: bigint; exponent: number } {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) as RegExpExecArray;
  let digits = BigInt(match[2] + (match[3] ?? ''));
  let exponent = Number(match[4] ?? 0) - (match[3] ?? '').length;
  if (digits === 0n) return { digits, exponent: 0 };
  for (; digits % 10n === 0n; exponent++) digits /= 10n;
  return { digits: match[1] === '-' ? -digits : digits, exponent };
}

const inInt64 = (value: bigint): boolean => value >= -(2n ** 63n) && value < 2n ** 63n;

function integer(node: JsonNode): bigint {
  if (node.t !== 'number' || !/^-?\d+$/.test(node.text) || node.text.length > 30) return fail(2007);
  const value = BigInt(node.text);
  return inInt64(value) ? value : fail(2007);
}

function decimal(node: JsonNode, places: number): bigint {
  if (node.t !== 'number') return fail(2007);
  const { digits, exponent } = exact(node.text);
  if (digits === 0n) return 0n;
  const length = digits.toString().replace('-', '').length;
  if (length + exponent + places > 19) return fail(2007);
  if (exponent + places < 0) return fail(2004);
  const value = digits * 10n ** BigInt(exponent + places);
  return inInt64(value) ? value : fail(2007);
}

function text(node: JsonNode, { textCase }: Column): string {
  if (node.t !== 'string') return fail(2007);
  if (node.text === '') fail(2015);
  if ([...node.text].length > 1000) fail(2009);
  return textCase === 'preserve' ? node.text : lower(node.text);
}

function degrees(node: JsonNode, bound: number): number {
  if (node.t !== 'number') return fail(2007);
  const value = Number(node.text);
  return Math.abs(value) <= bound ? value + 0 : fail(2007);
}

function scalar(node: JsonNode, column: Column, midnights: boolean): string {
  switch (column.type.replace('-event', '')) {
    case 'string':
      return text(node, column);
    case 'integer':
      return String(integer(node));
    case 'enumerated': {
      const value = integer(node);
      const below = (column.range ?? []).filter((bound) => bound <= value);
      return below.length === 0 ? fail(3016) : String(below[below.length - 1]);
    }
    case 'decimal':
      return String(decimal(node, column.decimalPlaces ?? 0));
    case 'boolean':
      if (node.t === 'boolean') return node.value ? '1' : '0';
      if (node.t === 'string' && (node.text === 'true' || node.text === 'false'))
        return node.text === 'true' ? '1' : '0';
      return fail(2007);
    case 'date': {
      if (node.t !== 'string') return fail(2007);
      const at = seconds(node.text, { date: true, time: false });
      return at === null ? fail(2014) : String(at / 86400);
    }
    case 'datetime': {
      const at = node.t === 'string' ? seconds(node.text, { date: midnights, time: true }) : null;
      return at === null ? fail(2007) : String(at);
    }
    default: {
      if (node.t !== 'list') return fail(2007);
      // In document order: an invalid longitude comes before a wrong number of coordinates.
      const longitude = node.items.length > 0 ? degrees(node.items[0], 180) : fail(2007);
      const latitude = node.items.length > 1 ? degrees(node.items[1], 90) : fail(2007);
      return node.items.length === 2 ? `${longitude} ${latitude}` : fail(2007);
    }
  }
}

type Shape = 'single' | 'list' | 'event';

/** A column to be created, with the properties that the values of the request have determined so far. */
interface NewColumn {
  readonly id: number;
  readonly dimensionId: number;
  readonly apiName: string;
  readonly firstKey: object;
  shape: Shape | null;
  type: ColumnType | null;
  places: number;
  midnights: boolean;
  sawEmptyList: boolean;
}

interface NewDimension {
  readonly id: number;
  readonly apiName: string;
}

interface OracleDimension {
  readonly id: number;
  readonly textCase: TextCase;
  readonly columns: ReadonlyMap<string, Column>;
  readonly relations: ReadonlyMap<string, Relation>;
}

type Member = { readonly key: string; readonly value: JsonNode };

class Oracle {
  readonly #model: DatabaseModel;
  readonly #nowSeconds: number;
  readonly #members: readonly Member[];
  readonly #columnIds: readonly number[] | null;
  #createDimensions = false;
  #createColumns = false;
  readonly #newDimensions = new Map<string, NewDimension>();
  readonly #newColumns = new Map<string, NewColumn>();
  /** Errors found while inferring types, thrown when the walk reaches the node. */
  readonly #marked = new Map<object, number>();
  #valueCount = 0;

  constructor(root: JsonNode, { model, nowMs, columnIds }: OracleContext) {
    if (root.t !== 'object') throw new OracleError(1503);
    this.#members = root.members;
    this.#model = model;
    this.#columnIds = columnIds;
    this.#nowSeconds = Math.floor(nowMs / 1000);
  }

  run(customKey: boolean): OracleResult {
    this.#settings(customKey);
    if (this.#createDimensions || this.#createColumns) this.#inferTypes();
    const entities: OracleEntity[] = [];
    const seen = new Set<string>();
    const columnsNamed = new Set<string>();
    for (const { key, value } of this.#members) {
      if (key === 'auto-create') continue;
      if (key === '') fail(2003);
      if ([...key].length > 1000) fail(2008);
      if (entities.length === 1000) fail(2012);
      const preserves = [...this.#model.dimensions.values()].some(({ textCase }) => textCase === 'preserve');
      const add = (of: string): void => {
        if (seen.has(of)) fail(2019);
        seen.add(of);
      };
      // IDs can be compared before the dimension is known only if every dimension folds them.
      if (!preserves) add(lower(key));
      if (value.t !== 'object') return fail(2005);
      const dimension = this.#dimensionOf(value);
      const id = dimension.textCase === 'preserve' ? key : lower(key);
      if (preserves) add(id);
      const columns = new Map<number, OracleValues>();
      for (const member of value.members) {
        if (member.key === 'dimension') continue;
        const { column, midnights } = this.#columnOf(dimension, member);
        columnsNamed.add(`${dimension.id} ${column.id}`);
        if (columnsNamed.size > 5000) fail(2013);
        this.#put(columns, column, relationOf(dimension, column)?.id ?? 0, member.value, midnights);
      }
      if (value.members.every((member) => member.key === 'dimension')) fail(2017);
      for (const { columnIds } of dimension.relations.values()) {
        const named = columnIds.map((columnId) => columns.get(columnId));
        const counts = named.flatMap((values) => (values?.form === 'event' ? [values.events.length] : []));
        if (new Set(counts).size > 1) fail(2022);
      }
      entities.push({ id, dimensionId: dimension.id, columns });
    }
    return {
      entities,
      valueCount: this.#valueCount,
      createdDimensions: [...this.#newDimensions.values()],
      createdColumns: Array.from(this.#newColumns.values(), (made) => ({
        dimensionId: made.dimensionId,
        column: this.#asColumn(made),
      })),
    };
  }

  #settings(customKey: boolean): void {
    let found = false;
    let wrong = false;
    for (const { key, value } of this.#members) {
      if (key !== 'auto-create') continue;
      found = true;
      if (value.t !== 'list') wrong = true;
      else {
        for (const item of value.items) {
          if (item.t === 'string' && item.text === 'dimension') this.#createDimensions = true;
          else if (item.t === 'string' && item.text === 'column') this.#createColumns = true;
          else wrong = true;
        }
      }
    }
    if (found && customKey) fail(this.#createDimensions ? 511 : 505);
    if (wrong) fail(2007);
  }

  #dimensionNode(entity: JsonNode & { t: 'object' }): JsonNode | null {
    return entity.members.findLast((member) => member.key === 'dimension')?.value ?? null;
  }

  #dimensionOf(entity: JsonNode & { t: 'object' }): OracleDimension {
    const node = this.#dimensionNode(entity);
    if (node !== null && node.t !== 'string') return fail(5009);
    const marked = this.#marked.get(node ?? entity);
    if (marked !== undefined) fail(marked);
    const name = node === null ? 'default' : node.text;
    const known = this.#model.dimensions.get(name);
    if (known !== undefined) return known;
    const made = this.#newDimensions.get(name);
    return made === undefined
      ? fail(5008)
      : { id: made.id, textCase: this.#model.textCase, columns: new Map(), relations: new Map() };
  }

  #columnOf(dimension: OracleDimension, member: Member): { column: Column; midnights: boolean } {
    if (member.key === 'entity-id') fail(2020);
    const marked = this.#marked.get(member);
    if (marked !== undefined) fail(marked);
    const known = dimension.columns.get(member.key);
    const made = this.#newColumns.get(`${dimension.id} ${member.key}`);
    const column = known ?? (made === undefined ? fail(2011) : this.#asColumn(made));
    if (!column.active) fail(2011);
    if (this.#columnIds !== null && !this.#columnIds.includes(column.id)) fail(506);
    return { column, midnights: known === undefined && made?.midnights === true };
  }

  #put(
    columns: Map<number, OracleValues>,
    column: Column,
    relationId: number,
    node: JsonNode,
    midnights: boolean,
  ): void {
    const marked = this.#marked.get(node);
    if (marked !== undefined) fail(marked);
    if (column.type.endsWith('-event')) {
      const items = node.t === 'list' ? node.items : [node];
      const before = columns.get(column.id);
      const events = before?.form === 'event' ? [...before.events] : [];
      for (const item of items) events.push(this.#event(item, column));
      columns.set(column.id, { form: 'event', relationId, events });
    } else if (column.storage === 'list-of-values') {
      if (node.t === 'null') columns.set(column.id, { form: 'list', values: [] });
      else if (node.t !== 'list') fail(2007);
      else
        columns.set(column.id, {
          form: 'list',
          values: node.items.map((item) => this.#counted(item, column, midnights)),
        });
    } else if (node.t === 'null') columns.set(column.id, { form: 'remove' });
    else columns.set(column.id, { form: 'latest', value: this.#counted(node, column, midnights) });
  }

  #counted(node: JsonNode, column: Column, midnights: boolean): string {
    const marked = this.#marked.get(node);
    if (marked !== undefined) fail(marked);
    this.#valueCount++;
    return scalar(node, column, midnights);
  }

  #event(node: JsonNode, column: Column): string {
    const marked = this.#marked.get(node);
    if (marked !== undefined) fail(marked);
    if (node.t !== 'object') return fail(2007);
    let value: string | null = null;
    let date = this.#nowSeconds;
    for (const member of node.members) {
      if (member.key === 'value') {
        const markedValue = this.#marked.get(member.value);
        if (markedValue !== undefined) fail(markedValue);
        value = scalar(member.value, column, false);
      } else if (member.key === 'date') date = this.#eventDate(member.value, column);
      else fail(2016);
    }
    if (value === null) return fail(2018);
    this.#valueCount++;
    return `${date} ${value}`;
  }

  #eventDate(node: JsonNode, column: Column): number {
    const date = node.t === 'string' ? seconds(node.text, { date: true, time: true }) : null;
    if (date === null) return fail(2010);
    if (date < Date.UTC(1990, 0, 1) / 1000) fail(2002);
    if (date > this.#nowSeconds) fail(2006);
    if (column.retentionDays !== null && date < this.#nowSeconds - column.retentionDays * 86400) fail(2001);
    return date;
  }

  /** The first pass over a body with auto-create: infers the dimensions and columns to create, and their types. */
  #inferTypes(): void {
    let total = [...this.#model.dimensions.values()].reduce(
      (sum, dimension) => sum + dimension.columns.size - 1,
      0,
    );
    let nextColumnId = this.#model.nextColumnId;
    for (const { key, value: entity } of this.#members) {
      if (key === 'auto-create' || entity.t !== 'object') continue;
      const node = this.#dimensionNode(entity);
      if (node !== null && node.t !== 'string') continue;
      const name = node === null ? 'default' : node.text;
      let dimension: { id: number; columns?: ReadonlyMap<string, Column> } | undefined =
        this.#model.dimensions.get(name) ?? this.#newDimensions.get(name);
      if (dimension === undefined) {
        if (!this.#createDimensions) continue;
        const code = !/^[a-z0-9-]+$/.test(name)
          ? 5000
          : name.length > 64
            ? 5004
            : ['status', 'count', 'took'].includes(name)
              ? 5001
              : 0;
        if (code !== 0) {
          this.#marked.set(node ?? entity, code);
          continue;
        }
        const made = { id: this.#model.nextDimensionId + this.#newDimensions.size, apiName: name };
        this.#newDimensions.set(name, made);
        dimension = made;
      }
      if (!this.#createColumns) continue;
      for (const member of entity.members) {
        if (member.key === 'dimension' || member.key === 'entity-id' || dimension.columns?.has(member.key))
          continue;
        const key = `${dimension.id} ${member.key}`;
        let made = this.#newColumns.get(key);
        if (made === undefined) {
          let code = 0;
          if (!/^[a-z0-9-]+$/.test(member.key)) code = 3007;
          else if (member.key.length > 64) code = 3015;
          else if (this.#model.type === 'test' && total >= 100) code = 2021;
          if (code !== 0) {
            this.#marked.set(member, code);
            continue;
          }
          total++;
          made = {
            id: nextColumnId++,
            dimensionId: dimension.id,
            apiName: member.key,
            firstKey: member,
            shape: null,
            type: null,
            places: 0,
            midnights: false,
            sawEmptyList: false,
          };
          this.#newColumns.set(key, made);
        }
        this.#look(made, member.value);
      }
    }
    for (const made of this.#newColumns.values())
      if (made.shape === null) this.#marked.set(made.firstKey, 2007);
  }

  #look(made: NewColumn, node: JsonNode): void {
    if (node.t === 'null') return;
    if (node.t === 'object') this.#lookEvent(made, node);
    else if (node.t !== 'list') {
      if (this.#fits(made, 'single', node)) this.#lookValue(made, node);
    } else if (node.items.length === 0) {
      made.sawEmptyList = true;
      if (made.shape === 'single') this.#marked.set(node, 2007);
    } else {
      for (const item of node.items) {
        if (item.t === 'object') this.#lookEvent(made, item);
        else if (this.#fits(made, 'list', item)) this.#lookValue(made, item);
      }
    }
  }

  #fits(made: NewColumn, shape: Shape, node: JsonNode): boolean {
    if ((made.shape !== null && made.shape !== shape) || (shape === 'single' && made.sawEmptyList)) {
      this.#marked.set(node, 2007);
      made.shape ??= 'list';
      return false;
    }
    made.shape = shape;
    return true;
  }

  #lookEvent(made: NewColumn, node: JsonNode & { t: 'object' }): void {
    if (!this.#fits(made, 'event', node)) return;
    for (const member of node.members) if (member.key === 'value') this.#lookValue(made, member.value);
  }

  #lookValue(made: NewColumn, node: JsonNode): void {
    const isEvent = made.shape === 'event';
    let type: ColumnType;
    if (node.t === 'string' && isEvent) type = 'string';
    else if (node.t === 'string') {
      if (seconds(node.text, { date: true, time: false }) !== null) type = 'date';
      else type = seconds(node.text, { date: false, time: true }) !== null ? 'datetime' : 'string';
    } else if (node.t === 'number') {
      type = /^-?\d+$/.test(node.text) ? 'integer' : 'decimal';
      if (type === 'decimal') {
        const places = -exact(node.text).exponent;
        if (places > 20) this.#marked.set(node, 2004);
        made.places = Math.min(20, Math.max(made.places, places));
      }
    } else if (node.t === 'boolean' && !isEvent) type = 'boolean';
    else {
      this.#marked.set(node, 2007);
      return;
    }
    const both = [made.type, type].sort().join();
    if (made.type === null || made.type === type) made.type = type;
    else if (both === 'decimal,integer') made.type = 'decimal';
    else if (both === 'date,datetime') {
      made.type = 'datetime';
      made.midnights = true;
    } else if (!this.#marked.has(node)) this.#marked.set(node, 2007);
  }

  #asColumn(made: NewColumn): Column {
    const type = made.type ?? 'string';
    const isEvent = made.shape === 'event';
    return {
      id: made.id,
      name: made.apiName,
      apiName: made.apiName,
      description: '',
      type: isEvent ? (`${type}-event` as ColumnType) : type,
      storage: isEvent ? null : made.shape === 'list' ? 'list-of-values' : 'latest-value',
      cardinality: type === 'string' && !isEvent ? 'high' : null,
      decimalPlaces: type === 'decimal' ? Math.max(6, made.places) : null,
      range: null,
      retentionDays: null,
      textCase: 'fold',
      active: true,
    };
  }
}

function relationOf({ relations }: OracleDimension, column: Column): Relation | null {
  return [...relations.values()].find(({ columnIds }) => columnIds.includes(column.id)) ?? null;
}

export interface OracleContext {
  readonly model: DatabaseModel;
  readonly nowMs: number;
  readonly customKey: boolean;
  /** Columns that may be written; null = all. */
  readonly columnIds: readonly number[] | null;
}

/** The meaning of the body, or the code of its error. */
export function ingestOracle(
  body: Uint8Array,
  context: OracleContext,
): { readonly result: OracleResult } | { readonly code: number } {
  try {
    return { result: new Oracle(parseTree(body, 64), context).run(context.customKey) };
  } catch (thrown) {
    if (thrown instanceof OracleError) return { code: thrown.code };
    if (thrown instanceof BadJson) return { code: 1503 };
    throw thrown;
  }
}
