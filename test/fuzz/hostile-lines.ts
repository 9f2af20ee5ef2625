/** Lines of entities, some of them damaged: joined, split, cut, with invalid UTF-8, nested deep, with odd keys. */
import type { Prng } from '../../src/base/index.js';
import { GeneratedLines } from '../ingest/generated-lines.js';

const MUTATIONS_MAX = 3;
const DEEP = 70;
const BYTES = Array.from('{}[]",:\\/\n\r\t -0e', (text) => text.charCodeAt(0)).concat([
  0x00, 0x1f, 0x7f, 0x80, 0xc3, 0xed, 0xa0, 0xf4, 0xff, 0xef,
]);
/** Lines that are not entities. */
const ODD_LINES: readonly string[] = [
  '{"id":"u","__proto__":{"country":"x"}}',
  '{"id":"__proto__","country":"x"}',
  '{"id":"u","constructor":1}',
  '{"id":"u","country":"\\ud800"}',
  `{"id":"u","country":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
  `{"id":"u","country":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}}`,
  `{"id":"${'x'.repeat(1_001)}","country":"y"}`,
  '{"id":"u","country":"x"},"v":{"country":"y"}',
  '{"id":"u","country":"x"}}',
  '"v":{"country":"y"}',
  '{"auto-create":["column","dimension"]}',
  '{"id":"u","country":"x","id":"v"}',
  '{"id":{"id":"u"},"country":"x"}',
  '}',
  '[[[[',
  'null',
  'NaN',
];

export function hostileLines(random: Prng): Uint8Array {
  const text = new GeneratedLines(random).text;
  const lines = random.chance(0.3) ? withOddLine(random, text) : text;
  let bytes = Buffer.from(lines);
  for (let count = random.below(MUTATIONS_MAX + 1); count > 0; count--) bytes = mutated(random, bytes);
  return new Uint8Array(bytes);
}

function withOddLine(random: Prng, text: string): string {
  const lines = text.split('\n');
  lines.splice(random.below(lines.length + 1), 0, random.pick(ODD_LINES));
  return lines.join('\n');
}

function mutated(random: Prng, bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const at = random.below(bytes.length + 1);
  const [before, behind] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (random.below(6)) {
    case 0:
      return Buffer.concat([before, Buffer.of(random.pick(BYTES)), behind]);
    case 1:
      return Buffer.concat([before, behind.subarray(random.between(1, 3))]);
    case 2:
      return Buffer.concat([before, Buffer.from('\n'), behind]);
    case 3: {
      const found = behind.indexOf(0x0a);
      return found === -1
        ? bytes
        : Buffer.concat([before, behind.subarray(0, found), behind.subarray(found + 1)]);
    }
    case 4: {
      const from = random.below(bytes.length + 1);
      return Buffer.concat([before, bytes.subarray(from, from + random.between(1, 40)), behind]);
    }
    default:
      return random.chance(0.2)
        ? before
        : Buffer.concat([before, Buffer.of(random.below(256)), behind.subarray(1)]);
  }
}
