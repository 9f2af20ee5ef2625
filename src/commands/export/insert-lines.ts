/**
 * Exports a dimension as lines that POST /v1/insert takes as application/x-ndjson: one line per entity with its attributes
 * and events. To bound the memory of the server and of this process, the IDs are divided into ranges; for each range the
 * results of all queries, ordered by ID, are merged.
 * Invariants: an ID has one line, unless its events would make the line longer than an import reads; every number keeps
 * the text that the server wrote.
 */
import { compareText } from '../../schema/index.js';
import { LINE_BYTES_MAX } from '../import/text/text-block.js';
import { type DimensionModel, literal, selectAttributes, selectEvents } from './dimension.js';
import { linesOf, membersOf } from './json-line.js';
import type { SqlClient } from './sql-client.js';

/** Target for the rows of one answer, which the server sorts. */
const RANGE_ROWS = 400_000;
/** Limit of a line, below that of `quarry import`. */
const LINE_BYTES = LINE_BYTES_MAX - 2 ** 16;
/** Lines are returned in pieces of about this many characters. */
const PIECE_CHARS = 2 ** 18;

/** The IDs greater than `from` and up to `to`; null = no bound. */
export interface IdRange {
  readonly from: string | null;
  readonly to: string | null;
}

/** Calls `onEntities` as entities are returned. Rejects with the errors of `SqlClient`. */
export async function* insertLines(
  sqlClient: SqlClient,
  model: DimensionModel,
  ranges: readonly IdRange[],
  onEntities: (count: number, bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let piece = '';
  for (const range of ranges) {
    let entityCount = 0;
    for await (const entity of mergedEntities(sqlClient, model, range)) {
      for (const line of linesOfEntity(model, entity)) piece += line;
      entityCount++;
      if (piece.length < PIECE_CHARS) continue;
      const bytes = Buffer.from(piece);
      yield bytes;
      onEntities(entityCount, bytes.length);
      piece = '';
      entityCount = 0;
    }
    const bytes = Buffer.from(piece);
    yield bytes;
    onEntities(entityCount, bytes.length);
    piece = '';
  }
}

/** Divides the IDs into ranges whose answers have about RANGE_ROWS rows at most. */
export async function idRanges(
  sqlClient: SqlClient,
  model: DimensionModel,
  rowsMax = RANGE_ROWS,
): Promise<IdRange[]> {
  const table = `FROM [${model.name}]`;
  let rows = await sqlClient.number(`SELECT COUNT(*) ${table}`);
  const idCount = rows;
  for (const { apiName } of model.events) {
    rows = Math.max(rows, await sqlClient.number(`SELECT COUNT([${apiName}.date]) ${table}`));
  }
  const rangeCount = Math.ceil(rows / rowsMax);
  if (rangeCount <= 1) return [{ from: null, to: null }];
  const bounds = await sampledBounds(sqlClient, model, idCount, rangeCount);
  return [null, ...bounds].map((from, index) => ({ from, to: bounds[index] ?? null }));
}

/** Sampled IDs per range; more samples make the ranges more even. */
const SAMPLES_PER_RANGE = 50;

/** Bounds from every Nth ID: the server returns IDs in no meaningful order, so these are a fair sample. */
async function sampledBounds(
  sqlClient: SqlClient,
  { name }: DimensionModel,
  idCount: number,
  rangeCount: number,
): Promise<string[]> {
  const step = Math.max(1, Math.floor(idCount / (rangeCount * SAMPLES_PER_RANGE)));
  const sample: string[] = [];
  let index = 0;
  for await (const line of linesOf(sqlClient.rows(`SELECT [entity-id] FROM [${name}]`, 'ndjson'))) {
    if (index++ % step === 0) sample.push(JSON.parse(membersOf(line)[0].json));
  }
  sample.sort(compareText);
  const bounds = Array.from(
    { length: rangeCount - 1 },
    (_, at) => sample[Math.floor(((at + 1) * sample.length) / rangeCount)],
  );
  return [...new Set(bounds)].filter((bound) => bound !== undefined);
}

interface Event {
  /** JSON texts. */
  readonly value: string;
  readonly date: string;
}

interface Entity {
  /** The ID as JSON text. */
  readonly id: string;
  /** JSON texts by column; missing values are omitted. */
  readonly attributes: readonly (readonly [column: string, json: string])[];
  readonly events: readonly (readonly [column: string, events: readonly Event[]])[];
}

async function* mergedEntities(
  sqlClient: SqlClient,
  model: DimensionModel,
  range: IdRange,
): AsyncGenerator<Entity> {
  const inRange = ` ${whereOf(range)}ORDER BY [entity-id]`;
  const attributes = new Cursor(sqlClient.rows(`${selectAttributes(model)}${inRange}`, 'ndjson'));
  const events = model.events.map(
    (column) =>
      [
        column.apiName,
        new Cursor(sqlClient.rows(`${selectEvents(model, column)}${inRange}`, 'ndjson')),
      ] as const,
  );
  const cursors = [attributes, ...events.map(([, cursor]) => cursor)];
  try {
    for (;;) {
      // Sequentially: the server computes a whole answer before its first row.
      for (const cursor of cursors) await cursor.ready();
      const id = leastId(cursors);
      if (id === null) return;
      const [row] = await attributes.take(id);
      const found: [string, Event[]][] = [];
      for (const [column, cursor] of events) {
        const rows = await cursor.take(id);
        if (rows.length > 0)
          found.push([column, rows.map(([value, date]) => ({ value: value[1], date: date[1] }))]);
      }
      const present = (row ?? []).filter(([, json]) => json !== 'null');
      yield { id: JSON.stringify(id), attributes: present, events: found };
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

function whereOf({ from, to }: IdRange): string {
  const conditions = [
    ...(from === null ? [] : [`[entity-id] > ${literal(from)}`]),
    ...(to === null ? [] : [`[entity-id] <= ${literal(to)}`]),
  ];
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')} `;
}

function leastId(cursors: readonly Cursor[]): string | null {
  let least: string | null = null;
  for (const { id } of cursors) {
    if (id !== null && (least === null || compareText(id, least) < 0)) least = id;
  }
  return least;
}

type RowReader = readonly (readonly [column: string, json: string])[];

/** Reads an answer row by row in the order of its IDs. */
class Cursor {
  /** The ID of the next row; null after the last row, and before `ready`. */
  id: string | null = null;
  readonly #lines: AsyncGenerator<string>;
  #members: RowReader = [];
  #begun = false;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#lines = linesOf(bytes);
  }

  async ready(): Promise<void> {
    if (!this.#begun) await this.#next();
  }

  /** Takes the rows of that ID, without the ID; empty when the next row has another ID. */
  async take(id: string): Promise<RowReader[]> {
    const rows: RowReader[] = [];
    while (this.id === id) {
      rows.push(this.#members);
      await this.#next();
    }
    return rows;
  }

  async close(): Promise<void> {
    await this.#lines.return(undefined);
  }

  async #next(): Promise<void> {
    this.#begun = true;
    const { value: line, done } = await this.#lines.next();
    if (done === true) {
      this.id = null;
      return;
    }
    const [id, ...others] = membersOf(line);
    this.id = JSON.parse(id.json);
    this.#members = others.map(({ name, json }) => [name, json]);
  }
}

/** One line, or several if one would be too long: the first has the attributes, each has as many events as fit. */
function* linesOfEntity({ name, attributes, events }: DimensionModel, entity: Entity): Generator<string> {
  const head = `{"id":${entity.id},"dimension":${JSON.stringify(name)}`;
  let line = head + entity.attributes.map(([column, json]) => `,${JSON.stringify(column)}:${json}`).join('');
  let bytes = Buffer.byteLength(line);
  for (const [column, list] of entity.events) {
    const key = `,${JSON.stringify(column)}:[`;
    line += key;
    bytes += key.length;
    let first = true;
    for (const { value, date } of list) {
      const text = `${first ? '' : ','}{"value":${value},"date":${date}}`;
      const size = Buffer.byteLength(text);
      if (bytes + size > LINE_BYTES && !first) {
        yield `${line}]}\n`;
        line = `${head}${key}${text.slice(1)}`;
        bytes = Buffer.byteLength(line);
      } else {
        line += text;
        bytes += size;
      }
      first = false;
    }
    line += ']';
    bytes += 1;
  }
  // An insert must name a column: an entity without values names one with no value.
  if (entity.attributes.length === 0 && entity.events.length === 0) line += nothingOf(attributes, events);
  yield `${line}}\n`;
}

function nothingOf(attributes: DimensionModel['attributes'], events: DimensionModel['events']): string {
  if (attributes.length > 0) return `,${JSON.stringify(attributes[0].apiName)}:null`;
  return events.length > 0 ? `,${JSON.stringify(events[0].apiName)}:[]` : '';
}
