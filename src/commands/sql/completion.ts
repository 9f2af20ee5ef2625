/** Tab completion: keywords, dimensions, and the columns of the dimensions that the statement names. */
import { SQL_AGGREGATE_NAMES, SQL_SCALAR_NAMES } from '../../interface/index.js';
import type { DimensionModel } from '../export/dimension.js';

const WORDS =
  'SELECT DISTINCT FROM WHERE AND OR NOT IN BETWEEN LIKE IS NULL GROUP BY HAVING ORDER ASC DESC LIMIT OFFSET AS JOIN LEFT INNER ON CASE WHEN THEN ELSE END CAST INSERT INTO VALUES UPDATE SET DELETE EXPLAIN ANALYZE TRUE FALSE INTERVAL'.split(
    ' ',
  );

const KEYWORDS = [...WORDS, ...SQL_AGGREGATE_NAMES, ...SQL_SCALAR_NAMES];

const isPlain = (name: string): boolean =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !WORDS.includes(name.toUpperCase());
const written = (name: string): string => (isPlain(name) ? name : `[${name}]`);

/** The completions and the completed word, as readline expects. `before` is the statement up to the cursor. */
export function completions(
  models: readonly DimensionModel[],
  before: string,
): [found: string[], word: string] {
  const [word] = /\[[^\]\s]*$|[\p{L}\p{N}_.-]*$/u.exec(before) ?? [''];
  const bare = word.replace('[', '').toLowerCase();
  const named = models.filter(({ name }) =>
    namesDimension(before.slice(0, before.length - word.length), name),
  );
  const columns = (named.length > 0 ? named : models).flatMap(columnNames);
  const names = [...new Set([...columns, ...models.map(({ name }) => name)])]
    .filter((name) => name.startsWith(bare))
    .map((name) => (word.startsWith('[') ? `[${name}]` : written(name)));
  if (word.startsWith('[')) return [names, word];
  const lower = word !== '' && word === word.toLowerCase();
  const keywords = KEYWORDS.filter((keyword) => keyword.toLowerCase().startsWith(bare));
  return [[...names, ...keywords.map((keyword) => (lower ? keyword.toLowerCase() : keyword))].sort(), word];
}

const columnNames = ({ attributes, events }: DimensionModel): string[] => [
  'entity-id',
  ...attributes.map(({ apiName }) => apiName),
  ...events.flatMap(({ apiName }) => [`${apiName}.value`, `${apiName}.date`]),
];

/** Whether the name follows FROM, JOIN, INTO or UPDATE. */
function namesDimension(text: string, name: string): boolean {
  return new RegExp(`\\b(?:from|join|into|update)\\s+(?:\\[${name}\\]|${name}(?![\\w-]))`, 'i').test(text);
}
