import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { linesOf, membersOf } from '../../../src/commands/export/json-line.js';

t.test('members equal those of JSON.parse, whatever their names and values', (t) => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 })), (object) => {
      const line = JSON.stringify(object);
      const found = membersOf(line).map(({ name, json }) => [name, JSON.parse(json)]);
      return isDeepStrictEqual(found, Object.entries(JSON.parse(line)));
    }),
    { seed: 11, numRuns: 300 },
  );
  t.end();
});

t.test('no digit of a number is lost', (t) => {
  const line = '{"a":9223372036854775807,"b":-0.10000000000000000001,"c":null,"d":[1,"]"]}';
  t.strictSame(membersOf(line), [
    { name: 'a', json: '9223372036854775807' },
    { name: 'b', json: '-0.10000000000000000001' },
    { name: 'c', json: 'null' },
    { name: 'd', json: '[1,"]"]' },
  ]);
  t.strictSame(membersOf('{}'), []);
  t.end();
});

t.test('lines are complete, wherever the bytes are split', async (t) => {
  const bytes = Buffer.from('{"a":"ü"}\n{"b":"東京"}\n\n{"c":1}');
  for (let size = 1; size <= bytes.length; size++) {
    async function* parts(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const lines: string[] = [];
    for await (const line of linesOf(parts())) lines.push(line);
    t.strictSame(lines, ['{"a":"ü"}', '{"b":"東京"}', '', '{"c":1}'], `${size}`);
  }
});
