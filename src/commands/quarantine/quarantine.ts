/** The quarantines of a database: which there are, their lines, and the requests that change them. */
import { quarantineOf } from '../../ingest/index.js';
import { DEFAULT_DIMENSION } from '../../schema/index.js';
import { type DimensionModel, literal, readDimensions } from '../export/dimension.js';
import { linesOf } from '../export/json-line.js';
import type { SqlClient } from '../export/sql-client.js';
import { waiting } from '../remote/index.js';
import type { LineFilter } from './quarantine-line.js';

/** Columns of a quarantine, in the order in which lines are written. */
const COLUMNS = ['received', 'code', 'reason', 'line-number', 'source', 'request'] as const;
/** Columns whose text is in pieces. */
const PIECES = ['parameters', 'header', 'line'] as const;

/** The members that are not null, of a line that was refused. */
export type RefusedLine = Readonly<Record<string, string | number>>;

export interface QuarantineSummary {
  /** The dimension whose lines were refused; null = more than one, or none, fits the name of the quarantine. */
  readonly dimension: string | null;
  /** The dimension that keeps them. */
  readonly quarantine: string;
  readonly lineCount: number;
  /** Times; null = there are no lines. */
  readonly oldest: string | null;
  readonly newest: string | null;
}

export interface ReasonCount {
  readonly code: number;
  readonly lineCount: number;
  /** One of the reasons. */
  readonly reason: string;
}

export interface RetryAnswer {
  readonly inserted: number;
  readonly refused: number;
  readonly first?: { readonly code: number; readonly message: string };
  readonly after: string | null;
}

export class Quarantines {
  readonly #sqlClient: SqlClient;
  readonly #note: (text: string) => void;

  constructor(sqlClient: SqlClient, note: (text: string) => void) {
    this.#sqlClient = sqlClient;
    this.#note = note;
  }

  /** Every quarantine, also an empty one. */
  async list(): Promise<readonly QuarantineSummary[]> {
    const { client, access, signal } = this.#sqlClient;
    const models = await readDimensions(client, access, signal);
    const found: QuarantineSummary[] = [];
    for (const model of models.filter(isQuarantine)) {
      const fitting = models.filter(({ name }) => quarantineOf(name) === model.name);
      const [counts] = await this.#rows(
        `SELECT COUNT(*) AS [lines], MIN(received) AS oldest, MAX(received) AS newest FROM [${model.name}]`,
      );
      found.push({
        dimension: fitting.length === 1 ? fitting[0].name : null,
        quarantine: model.name,
        lineCount: Number(counts.lines),
        oldest: textOrNull(counts.oldest),
        newest: textOrNull(counts.newest),
      });
    }
    return found;
  }

  /** The name of the quarantine of a dimension. Rejects with an Error if there is none. */
  async named(dimension: string): Promise<string> {
    const { client, access, signal } = this.#sqlClient;
    const models = await readDimensions(client, access, signal);
    const name = quarantineOf(dimension);
    const model = models.find((one) => one.name === name);
    if (model === undefined)
      throw new Error(`no line of the dimension ${JSON.stringify(dimension)} is in quarantine`);
    if (!isQuarantine(model)) throw new Error(`the dimension ${JSON.stringify(name)} is no quarantine`);
    return name;
  }

  /** The number of lines by code, the most frequent first. */
  async reasons(quarantine: string, filter: LineFilter): Promise<readonly ReasonCount[]> {
    const rows = await this.#rows(
      `SELECT code, COUNT(*) AS [lines], MIN(reason) AS reason FROM [${quarantine}]${whereOf(filter)} GROUP BY code ORDER BY 2 DESC, 1`,
    );
    return rows.map(({ code, lines, reason }) => ({
      code: Number(code),
      lineCount: Number(lines),
      reason: String(reason),
    }));
  }

  /** The lines in the order in which they were received; `newest`: only so many of the last, the last first. */
  async *lines(
    quarantine: string,
    filter: LineFilter,
    newest: number | null = null,
  ): AsyncGenerator<RefusedLine> {
    const columns = [...COLUMNS, ...PIECES].map((name) => `[${name}]`).join(', ');
    const order =
      newest === null
        ? 'received, [request], [line-number], [entity-id]'
        : `received DESC, [request], [line-number] DESC, [entity-id] LIMIT ${newest}`;
    const select = `SELECT [entity-id] AS id, ${columns} FROM [${quarantine}]${whereOf(filter)} ORDER BY ${order}`;
    for await (const text of linesOf(this.#sqlClient.rows(select, 'ndjson'))) yield refusedLine(text);
  }

  /** Removes the lines; returns their number. */
  async empty(quarantine: string, filter: LineFilter): Promise<number> {
    const answer = await this.#sqlClient.answer(`DELETE FROM [${quarantine}]${whereOf(filter)}`, 'json');
    const parts: Uint8Array[] = [];
    for await (const part of answer.bytes) parts.push(part);
    const { result } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { result: { deleted: number } };
    return result.deleted;
  }

  /** Inserts lines again, from the one after `after`; waits while the server asks for it. */
  async retry(dimension: string, after: string | null): Promise<RetryAnswer> {
    const { client, access, signal } = this.#sqlClient;
    const named = dimension === DEFAULT_DIMENSION ? {} : { dimension };
    const answer = await client.json({
      ...{ method: 'POST', path: '/v1/quarantine/retry', key: access.key, signal },
      body: JSON.stringify(after === null ? named : { ...named, after }),
      retries: waiting(this.#note),
    });
    return answer as RetryAnswer;
  }

  async #rows(select: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const rows: Record<string, unknown>[] = [];
    for await (const line of linesOf(this.#sqlClient.rows(select, 'ndjson'))) rows.push(JSON.parse(line));
    return rows;
  }
}

const isQuarantine = ({ name, attributes }: DimensionModel): boolean =>
  name.endsWith('-quarantine') &&
  [...COLUMNS, ...PIECES].every((column) => attributes.some(({ apiName }) => apiName === column));

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function whereOf({ code, before }: LineFilter): string {
  const conditions = [
    ...(code === null ? [] : [`code = ${code}`]),
    ...(before === null ? [] : [`received < ${literal(before)}`]),
  ];
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

/** A row of the SELECT of `lines`, with its pieces joined. */
function refusedLine(text: string): RefusedLine {
  const row = JSON.parse(text) as Record<string, string | number | null | readonly string[]>;
  const members: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(row)) {
    if (Array.isArray(value)) members[name] = value.join('');
    else if (value !== null) members[name] = value as string | number;
  }
  return members;
}
