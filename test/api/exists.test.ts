import t from 'tap';
import { bindExists, existsAnswer } from '../../src/api/index.js';
import { json, modelWith } from './databases.js';
import { assertRefusals, type Refusal } from './refusals.js';

const MODEL = modelWith(json('{"name":"a","type":"integer","dimension":"other"}'));

t.test('IDs are looked for as they are stored and echoed as they were asked', async (t) => {
  const query = bindExists(json('{"ids":["A","ΣΑΣ","b","A"],"dimension":"other"}'), MODEL);
  t.strictSame(query, { dimensionId: 2, asked: ['A', 'ΣΑΣ', 'b', 'A'], ids: ['a', 'σασ', 'b', 'a'] });
  t.strictSame(existsAnswer(query, [true, false, true, true]), {
    exists: ['A', 'b', 'A'],
    'not-exists': ['ΣΑΣ'],
  });
  t.equal(bindExists(json('{"ids":["a"],"dimension":null}'), MODEL).dimensionId, 1);
  const longest = '😀'.repeat(1000);
  t.strictSame(bindExists(json(`{"ids":["${longest}"]}`), MODEL).asked, [longest]);
});

const REFUSED: readonly Refusal[] = [
  ['a body that is no object', '["a"]', 4004, 'a list'],
  ['no ids', '{}', 4025, '"ids"'],
  ['ids that are no list', '{"ids":"a"}', 4049, 'a string'],
  ['null as ids', '{"ids":null}', 4049, 'null'],
  ['no ID', '{"ids":[]}', 4031, 'empty'],
  ['101 IDs', `{"ids":[${Array(101).fill('"a"').join()}]}`, 4019, '101'],
  ['an ID that is no string', '{"ids":["a",1]}', 4049, 'ids[1]'],
  ['an empty ID', '{"ids":[""]}', 4049, 'ids[0]'],
  ['an ID too long', `{"ids":["${'😀'.repeat(1001)}"]}`, 4049, 'ids[0]'],
  ['an unknown field', '{"ids":["a"],"limit":1}', 4049, '"limit"'],
  ['an unknown dimension', '{"ids":["a"],"dimension":"x"}', 5008, '"x"'],
  ['a dimension that is no string', '{"ids":["a"],"dimension":1}', 5009, 'a number'],
];

t.test('bad bodies are refused with their code and named', async (t) => {
  assertRefusals(t, REFUSED, (body) => bindExists(body, MODEL));
});
