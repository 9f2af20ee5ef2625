/**
 * Runs the published cases in the folder next to a checkout, if it exists. Every query list in them binds. The queries
 * of count/entity whose columns are given have the expected answers, both in the row-at-a-time model and by bound
 * conditions.
 */
import fs from 'node:fs';
import t from 'tap';
import {
  bindAggregation,
  bindCountEvent,
  bindQuery,
  bindTopValues,
  createColumns,
  FULL_ACCESS,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../src/api/index.js';
import { databaseOf } from '../../src/catalog/index.js';
import { countMatches, type StoredData, store } from '../ir/evaluate.js';
import { jsonText } from '../support/generate.js';
import { RowModel } from '../support/model.js';
import { decided, emptyCatalog, json, modelWith } from './databases.js';

const FOLDER = new URL('../../../../shared/conformance/', import.meta.url);
const FILES = [
  'aggregation',
  'count_entity',
  'count_event',
  'delete',
  'result',
  'score',
  'top_values',
  'update',
];
const NOW_MS = Date.UTC(2024, 1, 29, 12);
const skip = fs.existsSync(FOLDER) ? false : 'no published cases here';

function casesIn(file: string): readonly JsonObject[] {
  const body = parseJson(fs.readFileSync(new URL(`${file}.json`, FOLDER)));
  return ((body as JsonObject).get('cases') as readonly Json[]).filter(isObject);
}

/** The query lists of a case, except top values and levels of aggregations. */
function queryLists(file: string, found: JsonObject): JsonObject[] {
  const operation = found.get('operation');
  const query = found.get('query') as JsonObject;
  const asFilter = new Map<string, Json>([['query', query.get('filter') ?? null]]);
  const objects = file === 'aggregation' ? [asFilter] : file === 'top_values' ? [] : [query];
  if (isObject(operation)) objects.push(operation);
  return objects.filter((object) => isList(object.get('query')));
}

t.test('every query list of the published cases binds', { skip }, async (t) => {
  let bound = 0;
  for (const file of FILES) {
    for (const found of casesIn(file)) {
      const columns = found.get('columns') as Json[];
      // Columns that the case expects auto-create to create.
      const made = json(
        '[{"name":"string-test-column","type":"string"},{"name":"numeric-test-column","type":"integer"},{"name":"boolean-test-column","type":"boolean"}]',
      );
      const model = modelWith(columns.length > 0 ? columns : made);
      for (const object of queryLists(file, found)) {
        const dimension = model.dimensions.get((object.get('dimension') as string | undefined) ?? 'default');
        if (dimension === undefined) throw new Error(`no dimension for ${jsonText(object)}`);
        t.ok(bindQuery(object.get('query') as Json, dimension, NOW_MS), jsonText(found.get('name') as Json));
        bound++;
      }
    }
  }
  t.ok(bound > 40, `${bound} query lists`);
});

t.test('every published body of events, levels and top values binds', { skip }, async (t) => {
  const binders = { count_event: bindCountEvent, aggregation: bindAggregation, top_values: bindTopValues };
  let bound = 0;
  for (const [file, bind] of Object.entries(binders)) {
    for (const found of casesIn(file)) {
      const model = modelWith(found.get('columns') as Json[]);
      t.ok(bind(found.get('query') as Json, model, NOW_MS, FULL_ACCESS), jsonText(found.get('name') as Json));
      bound++;
    }
  }
  t.ok(bound > 30, `${bound} bodies`);
});

t.test('the published counts of entities are reproduced', { skip }, async (t) => {
  for (const found of casesIn('count_entity')) {
    const columns = found.get('columns') as Json[];
    const insert = found.get('insert') as JsonObject;
    if (insert.has('auto-create') || columns.length === 0) continue;
    const model = databaseOf(
      decided(emptyCatalog(), (empty) => createColumns(columns, empty)),
      1,
    );
    const rows = new RowModel();
    rows.createColumns(columns);
    rows.insert(insert, NOW_MS);
    const data: StoredData = new Map();
    store(data, insert, model, NOW_MS);
    const query = found.get('query') as JsonObject;
    const expected = ((found.get('expected') as JsonObject).get('result') as JsonObject).get(
      'test_result_query',
    ) as Json;
    const dimension = model.dimensions.get('default');
    if (dimension === undefined) throw new Error('no default dimension');
    const name = jsonText(found.get('name') as Json);
    t.equal(
      String(rows.count(query, NOW_MS).get('test_result_query')),
      jsonText(expected),
      `${name} by the model`,
    );
    const condition = bindQuery(query.get('query') as Json, dimension, NOW_MS);
    t.equal(
      String(countMatches(data, dimension.id, condition)),
      jsonText(expected),
      `${name} by bound conditions`,
    );
  }
});
