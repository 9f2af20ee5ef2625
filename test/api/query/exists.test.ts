import t from 'tap';
import {
  bindExists,
  type ExistsQuery,
  existsAnswer,
  FULL_ACCESS,
  type Json,
} from '../../../src/api/index.js';
import { json, modelWith } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const MODEL = modelWith(json('{"name":"a","type":"integer","dimension":"other"}'));

const bind = (body: Json): ExistsQuery => bindExists(body, MODEL, 0, FULL_ACCESS);

t.test('IDs are looked up as they are stored and echoed as they were requested', async (t) => {
  const query = bind(json('{"ids":["A","ΣΑΣ","b","A"],"dimension":"other"}'));
  t.strictSame(query, {
    plan: { databaseId: 1, dimensionId: 2, condition: null },
    requestedIds: ['A', 'ΣΑΣ', 'b', 'A'],
    ids: ['a', 'σασ', 'b', 'a'],
  });
  t.strictSame(existsAnswer(query, [true, false, true, true]), {
    exists: ['A', 'b', 'A'],
    'not-exists': ['ΣΑΣ'],
  });
  t.equal(bind(json('{"ids":["a"],"dimension":null}')).plan.dimensionId, 1);
  const longest = '😀'.repeat(1000);
  t.strictSame(bind(json(`{"ids":["${longest}"]}`)).requestedIds, [longest]);
});

const REFUSED: readonly Refusal[] = [
  ['a body that is not an object', '["a"]', 4004, 'a list'],
  ['no ids', '{}', 4025, '"ids"'],
  ['ids that are not a list', '{"ids":"a"}', 4049, 'a string'],
  ['null as ids', '{"ids":null}', 4049, 'null'],
  ['no ID', '{"ids":[]}', 4031, 'empty'],
  ['101 IDs', `{"ids":[${Array(101).fill('"a"').join()}]}`, 4019, '101'],
  ['an ID that is not a string', '{"ids":["a",1]}', 4049, 'ids[1]'],
  ['an empty ID', '{"ids":[""]}', 4049, 'ids[0]'],
  ['an ID too long', `{"ids":["${'😀'.repeat(1001)}"]}`, 4049, 'ids[0]'],
  ['an unknown field', '{"ids":["a"],"limit":1}', 4049, '"limit"'],
  ['an unknown dimension', '{"ids":["a"],"dimension":"x"}', 5008, '"x"'],
  ['a dimension that is not a string', '{"ids":["a"],"dimension":1}', 5009, 'a number'],
];

t.test('bad bodies are refused with their code and a message that names the fault', async (t) => {
  assertRefusals(t, REFUSED, bind);
});

t.test('every invalid ID of a request is reported in order', async (t) => {
  assertAllRefusals(t, () => bind(json('{"ids":["a",1,"","b",null]}')), [
    [4049, 'ids[1]'],
    [4049, 'ids[2]'],
    [4049, 'ids[4]'],
  ]);
});

t.test('every invalid field of a request is reported, unknown fields first', async (t) => {
  assertAllRefusals(t, () => bind(json('{"x":1,"dimension":5,"ids":["a",1]}')), [
    [4049, '"x"'],
    [5009, 'a number'],
    [4049, 'ids[1]'],
  ]);
  assertAllRefusals(t, () => bind(json('{"dimension":"none","ids":[]}')), [
    [4031, '"ids"'],
    [5008, '"none"'],
  ]);
});
