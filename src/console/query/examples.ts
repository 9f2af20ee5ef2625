/** Example questions made from the content of a database, so that each can be sent unchanged. */
import { activeColumns, type Column, type Dimension, type Model } from '../server/model.js';
import { countedColumn, type Draft, groupingColumn, newDraft } from './draft.js';
import { ANY } from './fields.js';

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
    ...behaviourExamples(
      base,
      columns.filter(({ isEvent }) => isEvent),
    ),
    ...(group === undefined ? [] : [topExample(base, group)]),
    ...(point === undefined ? [] : [mapExample(base, point)]),
  ];
}

function eventExamples(base: Draft, event: Column, group: Column | undefined): Example[] {
  const { dimension, trend } = base;
  const series = [{ id: 1, of: 'events', column: event.name, test: ANY } as const];
  const over: Example = {
    text: `How many “${event.name}” events were there over time in ${dimension}?`,
    how: 'a trend of the events; add series, divide it, compare it with the time before',
    draft: { ...base, show: 'trend', trend: { ...trend, series } },
    windowOf: event.name,
  };
  if (group === undefined) return [over];
  const by: Example = {
    text: `How many “${event.name}” events are there for each ${group.name} of ${dimension}?`,
    how: 'events of one column, grouped by an attribute; add a value and dates to count only some of them',
    draft: { ...base, show: 'top', measure: { of: 'events', column: event.name, test: ANY }, by: group.name },
    windowOf: event.name,
  };
  return [by, over];
}

/** Questions about behaviour, if there are columns of events to make them of. */
function behaviourExamples(base: Draft, events: readonly Column[]): Example[] {
  const [first, second] = events;
  if (second === undefined) return [];
  const example = (show: Draft['show'], text: string, how: string): Example => ({
    ...{ text, how, draft: { ...base, show }, windowOf: first.name },
  });
  return [
    example(
      'funnel',
      `How many ${base.dimension} have a “${first.name}” and then a “${second.name}” event?`,
      'a funnel; add steps, and what the values must be',
    ),
    example(
      'retention',
      `How many ${base.dimension} come back in the weeks after their first “${first.name}”?`,
      'retention of weekly cohorts',
    ),
  ];
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
