import t from 'tap';
import { allDimensionIds, bindTotal } from '../../src/api/index.js';
import { json, modelWith } from './databases.js';
import { assertRefusals, type Refusal } from './refusals.js';

const MODEL = modelWith(
  json('[{"name":"a","type":"integer","dimension":"one"},{"name":"b","type":"integer","dimension":"two"}]'),
);

t.test('no dimensions mean all of them, and a dimension named twice counts once', async (t) => {
  t.strictSame(allDimensionIds(MODEL), [1, 2, 3]);
  t.strictSame(bindTotal(json('{}'), MODEL), [1, 2, 3]);
  t.strictSame(bindTotal(json('{"dimensions":[]}'), MODEL), [1, 2, 3]);
  t.strictSame(bindTotal(json('{"dimensions":null}'), MODEL), [1, 2, 3]);
  t.strictSame(bindTotal(json('{"dimensions":["two","default","two"]}'), MODEL), [3, 1]);
});

const REFUSED: readonly Refusal[] = [
  ['a body that is no object', '["one"]', 4004, 'a list'],
  ['an unknown field', '{"dimension":"one"}', 4049, '"dimension"'],
  ['dimensions that are no list', '{"dimensions":"one"}', 5009, 'a string'],
  ['a dimension that is no string', '{"dimensions":["one",2]}', 5009, 'dimensions[1]'],
  ['a dimension that is null', '{"dimensions":[null]}', 5009, 'dimensions[0]'],
  ['an unknown dimension', '{"dimensions":["one","three"]}', 5008, '"three"'],
];

t.test('bad bodies are refused with their code and named', async (t) => {
  assertRefusals(t, REFUSED, (body) => bindTotal(body, MODEL));
});
