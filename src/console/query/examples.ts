/** Example questions made from the content of a database, so that each can be sent unchanged. */
import { activeColumns, type Column, type Dimension, type Model } from '../server/model.js';
import { ANY, countedColumn, type Draft, groupingColumn, newDraft, type Show, withMeasure } from './draft.js';

export interface Example {
  readonly text: string;
  /** What the example teaches. */
  readonly how: string;
  readonly draft: Draft;
  /** Event column whose dates the draft lacks; null = none. */
  readonly windowOf: string | null;
}

const DIMENSIONS_MAX = 4;

/** Examples, those for dimensions with the most content first. */
export function examplesOf(model: Model): Example[] {
  const full = model.dimensions.filter((dimension) => dimension.entities !== 0);
  const ranked = [...full].sort((a, b) => weightOf(b) - weightOf(a));
  return ranked.slice(0, DIMENSIONS_MAX).flatMap(examplesOfDimension);
}

const weightOf = ({ entities, columns }: Dimension): number =>
  (entities ?? columns.length) + columns.reduce((sum, { events }) => sum + (events ?? 0), 0);

function examplesOfDimension(dimension: Dimension): Example[] {
  const columns = activeColumns(dimension);
  if (columns.length === 0) return [];
  const base = newDraft(dimension);
  const group = groupingColumn(columns.filter(({ isEvent }) => !isEvent));
  const event = countedColumn(columns);
  const point = columns.find(({ kind }) => kind === 'point');
  return [
    ...(event === undefined ? [] : eventExamples(base, event, group)),
    ...(group === undefined ? [] : [topExample(base, group)]),
    ...(point === undefined ? [] : [mapExample(base, point)]),
  ];
}

function eventExamples(base: Draft, event: Column, group: Column | undefined): Example[] {
  const measure = { ...base.measure, of: 'events', column: event.name, test: ANY } as const;
  const example = (text: string, how: string, show: Show): Example => ({
    ...{ text, how, windowOf: event.name },
    draft: withMeasure({ ...base, show }, measure),
  });
  const over = example(
    `How many “${event.name}” events were there over time in ${base.dimension}?`,
    'a histogram of the events’ dates',
    'time',
  );
  if (group === undefined) return [over];
  const by = example(
    `How many “${event.name}” events are there for each ${group.name} of ${base.dimension}?`,
    `events of one column, grouped by an attribute; add a value and dates to count only some of them`,
    'top',
  );
  return [{ ...by, draft: { ...by.draft, by: group.name } }, over];
}

const topExample = (base: Draft, group: Column): Example => ({
  text: `What are the most frequent values of “${group.name}” in ${base.dimension}?`,
  how: 'the most frequent values of a column',
  draft: { ...base, show: 'top', by: group.name },
  windowOf: null,
});

const mapExample = (base: Draft, point: Column): Example => ({
  text: `Where are the ${base.dimension}?`,
  how: `“${point.name}” on a map`,
  draft: { ...base, show: 'map', point: point.name },
  windowOf: point.isEvent ? point.name : null,
});

/** A SELECT that is valid for this database, for an empty editor. */
export function exampleSql(model: Model): string {
  const example = examplesOf(model)[0]?.draft;
  const dimension = model.dimensions.find(({ name }) => name === example?.dimension) ?? model.dimensions[0];
  const columns = activeColumns(dimension);
  const event = columns.find(({ isEvent }) => isEvent);
  const group = groupingColumn(columns.filter(({ isEvent }) => !isEvent));
  const table = `[${dimension?.name ?? 'default'}]`;
  if (group === undefined) return `SELECT COUNT(*) AS entities FROM ${table}`;
  if (event === undefined) {
    return `SELECT [${group.name}], COUNT(*) AS entities\nFROM ${table}\nGROUP BY [${group.name}]\nORDER BY entities DESC\nLIMIT 20`;
  }
  return (
    `SELECT [${group.name}], COUNT([${event.name}.value]) AS events\nFROM ${table}\n` +
    `WHERE [${event.name}.date] >= '1990-01-01'\nGROUP BY [${group.name}]\nORDER BY events DESC\nLIMIT 20`
  );
}
