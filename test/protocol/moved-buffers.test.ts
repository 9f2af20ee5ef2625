/** What is handed over between threads and what is copied. */
import t from 'tap';
import { type LaneResult, type LaneTask, movedBuffers } from '../../src/protocol/index.js';

const LARGE = 64 * 1024;
const SELECT = { op: 'select-next', selectId: 1, rowsMax: 1 } as unknown as LaneTask['requests'][number];
const task = (...requests: LaneTask['requests'][number][]): LaneTask => ({ sequence: 0, requests });
const result = (...values: unknown[]): LaneResult =>
  ({ replies: values.map((value) => ({ value })), memoryBytes: 0, dictionaryBytesMax: 0 }) as LaneResult;

t.test(
  'the large arrays of a part are moved, each buffer once, small ones and parts of others are not',
  async (t) => {
    const numbers = new Float64Array(LARGE);
    const bytes = new Uint8Array(LARGE);
    const whole = new Uint32Array(LARGE);
    const part = {
      done: true,
      figures: [{ operator: 'scan', notes: ['a note'] }],
      gives: 'groups',
      partials: [
        {
          groupCount: 1,
          keys: [{ kind: 'text', codes: null, bytes, offsets: new Uint32Array(3) }],
          states: [{ holds: 'sum', counts: numbers }, { holds: 'sum', counts: numbers }, { wide: [1n, 2n] }],
          seen: [whole.subarray(1), new Uint8Array(new SharedArrayBuffer(LARGE))],
        },
      ],
    };
    t.strictSame(movedBuffers(task(SELECT), result(part)), [bytes.buffer, numbers.buffer]);
  },
);

t.test('what was moved arrives as it was', async (t) => {
  const bytes = Uint8Array.from({ length: LARGE }, (_, at) => at);
  const expected = bytes.slice();
  const answer = result({
    done: false,
    figures: [],
    gives: 'bytes',
    rowCount: 9,
    parts: [bytes, bytes.slice(0, 9)],
  });
  const transfer = movedBuffers(task(SELECT), answer);
  t.equal(transfer.length, 1);
  const { replies } = structuredClone(answer, { transfer });
  t.strictSame(replies, [
    {
      value: {
        done: false,
        figures: [],
        gives: 'bytes',
        rowCount: 9,
        parts: [expected, expected.slice(0, 9)],
      },
    },
  ]);
  t.equal(bytes.length, 0);
});

t.test('parts are moved with memory that is longer than they are', async (t) => {
  const part = new Uint8Array(new ArrayBuffer(2 * LARGE), 0, LARGE).fill(7);
  const answer = result({ gives: 'bytes', parts: [part] });
  const transfer = movedBuffers(task(SELECT), answer);
  t.strictSame(transfer, [part.buffer]);
  const { replies } = structuredClone(answer, { transfer });
  t.strictSame(replies, [{ value: { gives: 'bytes', parts: [new Uint8Array(LARGE).fill(7)] } }]);
});

t.test('answers of others, which may be looked at again, and refusals are copied', async (t) => {
  const aggregate = { ...SELECT, op: 'aggregate' } as unknown as LaneTask['requests'][number];
  const refused = { replies: [{ error: { code: 9006 } }] } as unknown as LaneResult;
  t.strictSame(movedBuffers(task(aggregate), result([[new Float64Array(LARGE)]])), []);
  t.strictSame(movedBuffers(task(SELECT), refused), []);
});
