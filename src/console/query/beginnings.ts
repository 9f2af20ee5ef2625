/** Queries to begin with, for an empty editor. */
import type { Model } from '../server/model.js';
import { exampleSql } from './examples.js';

const SQL = '/v1/sql';

/** A valid query with names of the database. */
export function beginningOf(path: string, model: Model): string {
  if (path === SQL) return exampleSql(model);
  const dimension = [...model.dimensions].sort((a, b) => b.columns.length - a.columns.length)[0];
  const column =
    dimension?.columns.find(({ isEvent, name }) => !isEvent && name !== 'entity-id')?.name ?? 'entity-id';
  const event = dimension?.columns.find(({ isEvent }) => isEvent)?.name ?? 'visit';
  const named = { dimension: dimension?.name ?? 'default' };
  const ever = ['1990-01-01', 'now'];
  const everyone = [{ 'entity-id': { 'not-equals': '-' } }];
  const active = [{ [event]: { minfreq: 1, between: ever } }];
  const segments = [
    { name: 'all', query: everyone },
    { name: `with ${event}`, query: active },
  ];
  const bodies: Readonly<Record<string, unknown>> = {
    '/v1/query/count/entity': [{ 'query-name': 'all', ...named, query: everyone }],
    '/v1/query/count/event': [{ 'query-name': 'events', ...named, query: active }],
    '/v1/query/count/entity/total': { dimensions: [named.dimension] },
    '/v1/query/aggregation': { ...named, query: [{ [column]: 10 }] },
    '/v1/query/top_values': { top: { ...named, [column]: 10 } },
    '/v1/query/exists/entity': { ...named, ids: ['some-id'] },
    ...behaviourBodies({ ...named, 'query-name': 'answer' }, event),
    '/v1/query/overlap': { ...named, 'query-name': 'answer', segments },
    '/v1/query/compare': { ...named, 'query-name': 'answer', segments, between: ever },
    '/v1/data_extraction/result': { ...named, columns: ['entity-id', column], limit: 20 },
    '/v1/data_extraction/score': {
      ...named,
      columns: ['entity-id', column],
      query: [{ 'entity-id': { 'not-equals': '-' } }],
      limit: 20,
    },
  };
  return JSON.stringify(bodies[path] ?? {}, null, 2);
}

function behaviourBodies(named: object, event: string): Readonly<Record<string, unknown>> {
  const events = { [event]: {} };
  const between = ['2020-01-01', 'now'];
  const activity = { ...named, event: events, interval: 'months', between };
  return {
    '/v1/query/funnel': { ...named, steps: [{ event: events }, { event: events }], within: '7d' },
    '/v1/query/retention': {
      ...named,
      start: { event: events },
      return: { event: events },
      ...{ interval: 'months', between },
    },
    '/v1/query/lifecycle': activity,
    '/v1/query/stickiness': activity,
    '/v1/query/actives': activity,
    '/v1/query/sequence': { ...named, conditions: [{ event: events }], pattern: '(?1)(?1)' },
    '/v1/query/sessions': { ...named, stream: [event], gap: '30min' },
    '/v1/query/flow': { ...named, start: { event: events }, depth: 3 },
    '/v1/query/timeline': { ...named, 'entity-id': 'some-id' },
  };
}
