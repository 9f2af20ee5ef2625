import t from 'tap';
import { bindTotal, bindTotalOfAll, FULL_ACCESS, type Json } from '../../../src/api/index.js';
import { json, modelWith } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const MODEL = modelWith(
  json('[{"name":"a","type":"integer","dimension":"one"},{"name":"b","type":"integer","dimension":"two"}]'),
);

/** Ids of the dimensions whose entities are counted. */
function bind(body: Json): readonly number[] {
  return bindTotal(body, MODEL, 0, FULL_ACCESS).map(({ dimensionId, ...rest }) => {
    t.strictSame(rest, { databaseId: 1, condition: null });
    return dimensionId;
  });
}

t.test('no dimensions mean all of them, and a dimension named twice counts once', async (t) => {
  t.strictSame(
    bindTotalOfAll(MODEL, 0, FULL_ACCESS),
    [1, 2, 3].map((dimensionId) => ({ databaseId: 1, dimensionId, condition: null })),
  );
  t.strictSame(bind(json('{}')), [1, 2, 3]);
  t.strictSame(bind(json('{"dimensions":[]}')), [1, 2, 3]);
  t.strictSame(bind(json('{"dimensions":null}')), [1, 2, 3]);
  t.strictSame(bind(json('{"dimensions":["two","default","two"]}')), [3, 1]);
});

const REFUSED: readonly Refusal[] = [
  ['a body that is not an object', '["one"]', 4004, 'a list'],
  ['an unknown field', '{"dimension":"one"}', 4049, '"dimension"'],
  ['dimensions that are not a list', '{"dimensions":"one"}', 5009, 'a string'],
  ['a dimension that is not a string', '{"dimensions":["one",2]}', 5009, 'dimensions[1]'],
  ['a dimension that is null', '{"dimensions":[null]}', 5009, 'dimensions[0]'],
  ['an unknown dimension', '{"dimensions":["one","three"]}', 5008, '"three"'],
];

t.test('bad bodies are refused with their code and a message that names the fault', async (t) => {
  assertRefusals(t, REFUSED, bind);
});

t.test('unknown fields are reported together with every invalid dimension', async (t) => {
  assertAllRefusals(t, () => bind(json('{"x":1,"dimensions":["three",2],"y":2}')), [
    [4049, '"x"'],
    [4049, '"y"'],
    [5008, '"three"'],
    [5009, 'dimensions[1]'],
  ]);
});
