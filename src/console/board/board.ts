/**
 * Dashboards: questions as tiles with one range of time. They are plain data, so that they can be stored in the browser and
 * exchanged as files. Invariant: a tile only reads; a file with a tile that could change data is refused.
 */
import { SAVED_QUERY_TYPES } from '../../interface/index.js';
import { instantsOf } from '../query/conditions.js';
import type { Window } from '../query/fields.js';
import { isBehaviour } from '../query/saved.js';

/** A question of Explore as plain data, or a request, such as that of a saved query. */
export type Tile = { readonly title: string } & (
  | { readonly question: Readonly<Record<string, unknown>> }
  | { readonly path: string; readonly body: unknown }
);

export interface Board {
  readonly name: string;
  /** Replaces the ranges of time of the tiles; empty days = each tile has its own. */
  readonly range: Window;
  readonly tiles: readonly Tile[];
}

export const NAME_CHARS_MAX = 80;
export const TILES_MAX = 40;
const FORMAT = 1;

export const newBoard = (name: string): Board => ({ name, range: { from: '', to: '' }, tiles: [] });

/** The endpoints of tiles. SQL is not among them, because it can write. */
const READING_PATHS: ReadonlySet<string> = new Set(
  SAVED_QUERY_TYPES.filter((type) => type !== 'sql').map((type) => `/v1/query/${type}`),
);
export const isReading = (path: string): boolean => READING_PATHS.has(path);

/** The dashboard as the text of a file. */
export const boardText = (board: Board): string =>
  `${JSON.stringify({ 'quarry-dashboard': FORMAT, ...board }, null, 2)}\n`;

/** The dashboard in the text of a file. Throws Error with a sentence if there is none. */
export function boardOfText(text: string): Board {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error('The file is not JSON.');
  }
  const board = boardOf(read);
  if (board === null) throw new Error('The file is not a dashboard of Quarry, or one of a later release.');
  return board;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= NAME_CHARS_MAX;
const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^(\d{4}-\d\d-\d\d)?$/.test(value);

function boardOf(read: unknown): Board | null {
  if (!isObject(read) || read['quarry-dashboard'] !== FORMAT || !isName(read.name)) return null;
  const { name, range, tiles } = read;
  if (!isObject(range) || !isDay(range.from) || !isDay(range.to)) return null;
  if (!Array.isArray(tiles) || tiles.length > TILES_MAX || !tiles.every(isTile)) return null;
  return { name, range: { from: range.from, to: range.to }, tiles };
}

function isTile(tile: unknown): tile is Tile {
  if (!isObject(tile) || !isName(tile.title)) return false;
  if (isObject(tile.question)) return true;
  return typeof tile.path === 'string' && isReading(tile.path) && tile.body !== undefined;
}

/** Whether the range replaces those of the tiles. */
export const isWhole = ({ from, to }: Window): boolean => from !== '' && to !== '' && from <= to;

/**
 * The body of a request with another range of time: that of questions about behaviour, and of the metrics of aggregations.
 * Conditions keep their own, because they say which entities take part.
 */
export function bodyWithin(path: string, body: unknown, range: Window): unknown {
  if (!isWhole(range) || !isObject(body)) return body;
  const within = ({ 'time-zone': zone }: Record<string, unknown>): readonly string[] =>
    instantsOf(range, typeof zone === 'string' ? zone : '');
  const type = path.slice('/v1/query/'.length);
  if (isBehaviour(type)) return { ...body, between: within(body) };
  if (type !== 'aggregation' || !Array.isArray(body.query)) return body;
  const query = body.query.map((level) =>
    isObject(level) && 'between' in level ? { ...level, between: within(level) } : level,
  );
  return { ...body, query };
}
