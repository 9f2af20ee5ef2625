import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ByteBudget } from '../../../src/http/transport/body.js';
import {
  BodyParts,
  HEAD_BYTES_MAX,
  PART_BYTES_MAX,
  PART_LINES_MAX,
} from '../../../src/http/transport/body-parts.js';

const SEED = 771;
const ROUNDS = 200;
const MIB = 2 ** 20;

interface Taken {
  readonly number: number;
  readonly firstLine: number;
  readonly lineCount: number;
  /** The bytes as latin-1; null = a line that is too long. */
  readonly text: string | null;
  readonly head: number;
}

/** Reads the complete parts that `parts` has. */
function drain(parts: BodyParts): Taken[] {
  const taken: Taken[] = [];
  while (parts.hasPart) {
    const { number, firstLine, lineCount, text, lines } = parts.take();
    if (lines.first !== firstLine) throw new Error(`line ${firstLine} is called ${lines.first}`);
    const latin1 = text === null ? null : Buffer.from(text).toString('latin1');
    taken.push({ number, firstLine, lineCount, text: latin1, head: lines.head });
  }
  return taken;
}

/** Splits a body that arrives in chunks of the lengths in `cut`. */
function partsOf(body: Buffer, cut: () => number, budget = new ByteBudget(64 * MIB)): Taken[] {
  const parts = new BodyParts(budget, 'auto-create');
  const taken: Taken[] = [];
  for (let at = 0; at < body.length; ) {
    const chunk = Uint8Array.from(body.subarray(at, at + cut()));
    if (!parts.add(chunk)) throw new Error('no room');
    at += chunk.length;
    // Overwrites the chunk, because parts must not refer to the memory of the client's bytes.
    chunk.fill(0xff);
    taken.push(...drain(parts));
  }
  parts.end();
  taken.push(...drain(parts));
  parts.release();
  if (budget.reservedBytes !== 0) throw new Error(`${budget.reservedBytes} bytes were not released`);
  return taken;
}

/** The oracle: splits the whole body line by line as the interface defines it. */
function wantedParts(body: Buffer): Taken[] {
  const text = body.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const wanted: Taken[] = [];
  let open: string[] = [];
  let openLength = 0;
  let from = 1;
  let head = 0;
  let headText = '';
  const close = (next: number): void => {
    if (open.length > 0) {
      const range = { number: wanted.length + 1, firstLine: from, lineCount: open.length };
      wanted.push({ ...range, text: headText + open.join(''), head });
    }
    open = [];
    openLength = 0;
    from = next;
  };
  let blankSoFar = true;
  lines.forEach((line, index) => {
    const number = index + 1;
    const isBlank = /^[ \t\r]*\n?$/.test(line) && line.length <= HEAD_BYTES_MAX;
    if (blankSoFar && /^[ \t\r]*\{[ \t\r]*"auto-create"/.test(line) && line.length <= HEAD_BYTES_MAX) {
      open = [];
      openLength = 0;
      [from, head, headText] = [number + 1, number, line.endsWith('\n') ? line : `${line}\n`];
    } else if (line.length > PART_BYTES_MAX) {
      close(number);
      wanted.push({ number: wanted.length + 1, firstLine: number, lineCount: 1, text: null, head });
      from = number + 1;
    } else {
      if (openLength + line.length > PART_BYTES_MAX) close(number);
      open.push(line);
      openLength += line.length;
      if (open.length === PART_LINES_MAX) close(number + 1);
    }
    blankSoFar &&= isBlank;
  });
  close(0);
  return wanted;
}

const described = (parts: readonly Taken[]): unknown =>
  parts.map(({ text, ...rest }) => ({ ...rest, length: text?.length ?? -1 }));

function bodyOf(random: Prng): Buffer {
  const head = random.pick(['', '', '{"auto-create":[]}', '\n \r\n { "auto-create": 7 }', '{"auto-create']);
  const mark = random.pick(['', '', '\xef\xbb\xbf', '\xef\xbb', '\xef\xbb\xbf\xef\xbb\xbf']);
  const lines = Array.from({ length: random.pick([0, 1, 3, 1_000, 1_001, 2_500]) }, (_, index) =>
    random.chance(0.1) ? '' : `${index}`.padEnd(random.below(30), 'x'),
  );
  const all = head === '' ? lines : [head, ...lines];
  return Buffer.from(mark + all.join(random.pick(['\n', '\r\n'])) + random.pick(['', '\n']), 'latin1');
}

t.test('the parts of a body do not depend on how its bytes arrive', (t) => {
  const random = new Prng(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const body = bodyOf(random);
    const wanted = wantedParts(body);
    const longest = random.pick([1, 7, 1_000, 100_000]);
    const got = partsOf(body, () => random.between(1, body.length > 2_000 ? Math.max(50, longest) : longest));
    if (JSON.stringify(got) === JSON.stringify(wanted)) continue;
    t.strictSame(described(got), described(wanted), `seed ${SEED}, round ${round}`);
    t.strictSame(got, wanted);
    return t.end();
  }
  t.end();
});

t.test(
  'a part ends before the line that does not fit, and a line that is too long is a part of its own',
  (t) => {
    const line = (length: number): Buffer =>
      Buffer.concat([Buffer.alloc(length - 1, 'x'), Buffer.from('\n')]);
    const bodies: readonly (readonly [string, Buffer, readonly (readonly [number, number])[]])[] = [
      [
        'two lines that fit exactly',
        Buffer.concat([line(2 * MIB), line(3 * MIB), line(2)]),
        [
          [5 * MIB, 2],
          [2, 1],
        ],
      ],
      [
        'one byte too many',
        Buffer.concat([line(2 * MIB), line(3 * MIB + 1), line(2)]),
        [
          [2 * MIB, 1],
          [3 * MIB + 3, 2],
        ],
      ],
      [
        'a line of the maximum part length',
        Buffer.concat([line(9), line(5 * MIB), line(9)]),
        [
          [9, 1],
          [5 * MIB, 1],
          [9, 1],
        ],
      ],
      [
        'a line of one byte more',
        Buffer.concat([line(9), line(5 * MIB + 1), line(9)]),
        [
          [9, 1],
          [-1, 1],
          [9, 1],
        ],
      ],
      ['the maximum length without a line break', Buffer.alloc(5 * MIB, 'x'), [[5 * MIB, 1]]],
      ['more than the maximum without a line break', Buffer.alloc(5 * MIB + 1, 'x'), [[-1, 1]]],
      [
        'much longer',
        Buffer.concat([line(17 * MIB), line(12 * MIB), line(3)]),
        [
          [-1, 1],
          [-1, 1],
          [3, 1],
        ],
      ],
      [
        'after other lines, without a line break',
        Buffer.concat([line(9), Buffer.alloc(6 * MIB, 'x')]),
        [
          [9, 1],
          [-1, 1],
        ],
      ],
    ];
    for (const [what, body, wanted] of bodies) {
      for (const chunk of [1_000_003, 64 * 1024, body.length]) {
        const parts = partsOf(body, () => chunk);
        const got = parts.map(({ text, lineCount }) => [text?.length ?? -1, lineCount]);
        t.strictSame(got, wanted, `${what}, ${chunk} bytes at a time`);
      }
    }
    t.end();
  },
);

t.test('memory is reserved for a part and the bytes after it, and is released', (t) => {
  const budget = new ByteBudget(64 * MIB);
  const parts = new BodyParts(budget, 'auto-create');
  const chunk = Buffer.alloc(64 * 1024, 'x');
  // A line without a line break.
  for (let count = 0; count < 2_000; count++) {
    if (!parts.add(chunk) || parts.hasPart) {
      t.fail(`chunk ${count}`);
      return t.end();
    }
    if (budget.reservedBytes > 7 * MIB) {
      t.fail(`${budget.reservedBytes} bytes after ${count} chunks`);
      return t.end();
    }
  }
  t.ok(budget.reservedBytes >= 5 * MIB, `${budget.reservedBytes}`);
  parts.release();
  t.equal(budget.reservedBytes, 0);
  t.end();
});

t.test('nothing is reserved when the budget is exhausted', (t) => {
  const budget = new ByteBudget(200_000);
  const parts = new BodyParts(budget, 'auto-create');
  t.equal(parts.add(Buffer.from('a\nb')), true);
  t.equal(parts.add(Buffer.alloc(300_000, 'x')), false);
  t.equal(parts.add(Buffer.from('c\n')), true);
  parts.end();
  t.strictSame(
    drain(parts).map(({ text }) => text),
    ['a\nbc\n'],
  );
  parts.release();
  t.equal(budget.reservedBytes, 0);
  t.end();
});

t.test('only a short first line can hold the create options', (t) => {
  const head = '{"auto-create":["column"]}';
  const spread = (text: string): unknown => partsOf(Buffer.from(text), () => 5);
  t.strictSame(spread(`${head}\na`), [
    { number: 1, firstLine: 2, lineCount: 1, text: `${head}\na`, head: 1 },
  ]);
  t.strictSame(spread(head), [], 'the first line alone is not a part');
  const late = `a\n${head}\n`;
  t.strictSame(spread(late), [{ number: 1, firstLine: 1, lineCount: 2, text: late, head: 0 }]);
  const long = `${' '.repeat(HEAD_BYTES_MAX)}${head}\n`;
  t.strictSame(spread(long), [{ number: 1, firstLine: 1, lineCount: 1, text: long, head: 0 }]);
  t.end();
});
