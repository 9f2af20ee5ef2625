/** Rows that are packed, sent to another thread and unpacked. */
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import t from 'tap';
import { InvariantError, Prng } from '../../src/base/index.js';
import type { ExtractedRow, ExtractedValue } from '../../src/ir/index.js';
import { PackedRowReader, type PackedRows, packRows, unpackRows } from '../../src/protocol/index.js';

const SEED = 6_174;
t.comment(`seed ${SEED}`);

const TEXTS = ['', 'a', 'c3', '0', 'null', 'ß', '\u{1f600}', '\uffff', '"', '\n', 'x'.repeat(5_000)];

function generateValue(prng: Prng): ExtractedValue {
  const text = (): string => prng.pick(TEXTS);
  const count = prng.between(1, 4);
  switch (prng.below(4)) {
    case 0:
      return null;
    case 1:
      return Array.from({ length: count }, text);
    case 2:
      return Array.from({ length: count }, () => ({ value: text(), date: '2024-02-29T00:00:00Z' }));
    default:
      return text();
  }
}

interface Shape {
  readonly columnCount: number;
  readonly keyCount: number;
  readonly scored: boolean;
  readonly near: boolean;
}

function generateRow(prng: Prng, { columnCount, keyCount, scored, near }: Shape): ExtractedRow {
  const value = () => prng.pick([null, '', 'text', -(2n ** 63n), 2n ** 63n - 1n, 0n]);
  const isNear = near && prng.chance(0.8);
  return {
    position: {
      id: prng.pick(TEXTS) + prng.u32(),
      score: scored ? prng.below(100) : 0,
      distanceKm: isNear ? prng.unit() * 20_000 : 0,
      values: Array.from({ length: keyCount }, value),
    },
    nearest: isNear ? { longitude: prng.pick([0, -180, 13.4]), latitude: prng.pick([0, 90, -52.5]) } : null,
    values: Array.from({ length: columnCount }, () => generateValue(prng)),
  };
}

/** The message as another thread receives it. */
function sent(packed: PackedRows): PackedRows {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(packed);
  const got = receiveMessageOnPort(port2)?.message as PackedRows;
  port1.close();
  return got;
}

t.test('rows are unpacked unchanged with any columns, keys, scores and points', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 200; round++) {
    const shape = {
      columnCount: prng.pick([0, 1, 8]),
      keyCount: prng.pick([0, 1, 3]),
      scored: prng.chance(0.3),
      near: prng.chance(0.3),
    };
    const rows = Array.from({ length: prng.pick([0, 1, 2, 40]) }, () => generateRow(prng, shape));
    t.strictSame(unpackRows(sent(packRows(rows))), rows);
  }
});

t.test('a position can be read any number of times before its row is read', async (t) => {
  const prng = new Prng(SEED + 1);
  const shape = { columnCount: 3, keyCount: 1, scored: true, near: true };
  const rows = Array.from({ length: 50 }, () => generateRow(prng, shape));
  const reader = new PackedRowReader(packRows(rows));
  for (const row of rows) {
    for (let times = prng.below(3); times > 0; times--) t.strictSame(reader.position, row.position);
    t.strictSame(reader.take(), row);
  }
  t.equal(reader.position, null);
  t.throws(() => reader.take(), InvariantError);
});
