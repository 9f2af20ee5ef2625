/**
 * Generated CSV and NDJSON as columns, compared with the rows of the same text as bodies of rows would have them: the same bad rows
 * for the same reasons, and the same values. QUARRY_TEST_SEED repeats a run.
 */
import { type Table, tableFromIPC } from 'apache-arrow';
import t, { type Test } from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { EmptyTexts } from '../../../../src/commands/import/formats/empty-texts.js';
import { blocksOfText, type RowFormat } from '../../../../src/commands/import/formats/text-rows.js';
import { guessColumn } from '../../../../src/commands/import/mapping/guess.js';
import type { Mapping, Target } from '../../../../src/commands/import/mapping/mapping.js';
import { PLAIN_READING, type TextReading } from '../../../../src/commands/import/mapping/text-reading.js';
import {
  type BadRow,
  type BodyRow,
  RowConverter,
} from '../../../../src/commands/import/send/row-converter.js';
import { textBlocksOf } from '../../../../src/commands/import/text/row-cutter.js';
import type { TextBlock } from '../../../../src/commands/import/text/text-block.js';
import { rowFormatOf, TextColumns } from '../../../../src/commands/import/text/text-columns.js';
import { planText, type TextPlan } from '../../../../src/commands/import/text/text-plan.js';
import {
  baseTypeOf,
  type ColumnType,
  parseDate,
  parseInstant,
  readDecimal,
  SECONDS_PER_DAY,
} from '../../../../src/schema/index.js';

const seed = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.comment(`QUARRY_TEST_SEED=${seed}`);
const random = new Prng(seed);

const NAMES = ['id', 'more', 'text', 'whole', 'price', 'rounded', 'ok', 'day', 'at', 'page', 'seen', 'spare'];
const TYPES: readonly (readonly [column: string, type: ColumnType, date?: string])[] = [
  ['text', 'string'],
  ['whole', 'integer'],
  ['price', 'decimal'],
  ['rounded', 'decimal'],
  ['ok', 'boolean'],
  ['day', 'date'],
  ['at', 'datetime'],
  ['page', 'string-event', 'seen'],
  ['spare', 'integer-event', 'seen'],
];

interface Choice {
  readonly delimiter: string | null;
  readonly id: readonly number[] | null;
  readonly nulls: ReadonlySet<string>;
  readonly reading: TextReading;
}

function planOf({ delimiter, id, nulls, reading }: Choice): TextPlan {
  const targets = TYPES.map(([column, type, date]): Target => {
    const storage = date === undefined ? ('latest-value' as const) : null;
    const form = { type, storage, roundedTo: column === 'rounded' ? 2 : null, nulls, reading };
    const guess = guessColumn([], true, null, nulls);
    return {
      source: NAMES.indexOf(column),
      date: date === undefined ? null : NAMES.indexOf(date),
      column,
      form,
      ...{ made: null, guess },
    };
  });
  const mapping: Mapping = {
    ...{
      dimension: 'd',
      dimensionAt: null,
      areLines: false,
      isNewDimension: false,
      idCase: 'fold',
      id,
      targets,
    },
    ...{ leftOut: [], remarks: [] },
  };
  const plan = planText(mapping, NAMES, { delimiter }, 'file');
  if (plan === null) throw new Error('the mapping is not for columns');
  return plan;
}

const COMMON = [
  '',
  '',
  'a',
  'Äß✓',
  'n/a',
  'x "y" z',
  'with, comma',
  'two\nlines',
  '\\',
  '\t',
  ' 7 ',
  'x'.repeat(1_001),
  '\u2003',
  '\r',
];
const NUMBERS = [
  '0',
  '-0',
  '7',
  '-12',
  '007',
  '+5',
  '1.0',
  '1.',
  '.5',
  '-.5',
  '12.3456',
  '12.34567',
  '1e3',
  '1.5E-2',
  '9007199254740993',
];
const FURTHER = [
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '123456789012345.25',
  '0.125',
  '2.675',
  '-1.005',
  '1.234,5',
  '12.345.678',
  '0.00000000000000001',
  '--1',
  '1.2.3',
  '123456789012345',
  '99999999999999.9',
];
const DATES = [
  '2024-02-29',
  '2023-02-29',
  '2024/03/01',
  '0000-01-01',
  '9999-12-31',
  '2024-13-01',
  '2024-1-1',
  '31.12.2024',
  '2024-02-29T12:34:56Z',
  '2024-02-29 23:59:59',
  '2024-02-29t01:02:03.5+02:00',
  '2024-02-29T24:00:00Z',
  '2024-02-29 12:34',
  '2024-02-29 12:34:56 UTC',
  '2024-02-29T12:34:56.',
  '1700000000',
  '1700000000123',
  '2024-02-29 12:34:56,7',
];
const BOOLEANS = ['true', 'false', 'TRUE', 'f', 'yes', '1', '0'];
const IDS = ['auto-create', 'Ab', 'ab', 'x'.repeat(1_000), 'x'.repeat(1_001), 'é'.repeat(600), ''];
const ALL = [...COMMON, ...NUMBERS, ...FURTHER, ...DATES, ...BOOLEANS];

/** A text that fits the column, as a rule. */
function textFor(name: string): string {
  if (random.chance(0.03)) return random.pick(ALL);
  if (name === 'id') return random.chance(0.05) ? random.pick(IDS) : `User ${random.below(30)}`;
  if (random.chance(0.1)) return '';
  switch (name) {
    case 'whole':
    case 'spare':
      return random.chance(0.2)
        ? random.pick([...NUMBERS, ...FURTHER])
        : String(random.between(-9_999, 9_999));
    case 'price':
      return random.chance(0.1)
        ? random.pick([...NUMBERS, ...FURTHER])
        : String(random.between(-9_999, 9_999) / 100);
    case 'rounded':
      return random.chance(0.2)
        ? random.pick([...NUMBERS, ...FURTHER])
        : String(random.between(-9_999_999, 9_999_999) / 1e4);
    case 'ok':
      return random.pick(BOOLEANS);
    case 'day':
      return random.chance(0.2)
        ? random.pick(DATES)
        : `20${random.between(10, 25)}-0${random.between(1, 9)}-1${random.below(10)}`;
    case 'at':
    case 'seen':
      return random.chance(0.2)
        ? random.pick(DATES)
        : `2024-0${random.between(1, 9)}-1${random.below(10)} 1${random.below(10)}:00:0${random.below(10)}`;
    default:
      return random.chance(0.3) ? random.pick(COMMON) : `text ${random.below(20)}`;
  }
}

function csvRow(delimiter: string): string {
  const names = random.chance(0.02) ? NAMES.slice(random.below(3)) : NAMES;
  const fields = names.map((name) => {
    const text = textFor(name);
    const mustQuote = /["\n\r]/.test(text) || text.includes(delimiter);
    if (mustQuote ? random.chance(0.97) : random.chance(0.1)) return `"${text.replaceAll('"', '""')}"`;
    return text;
  });
  return fields.join(delimiter);
}

/** JSON that some writers make, and some that is wrong. */
function jsonValue(name: string): string {
  const text = textFor(name);
  if (random.chance(0.02))
    return random.pick([
      '[1]',
      '{"a":1}',
      'nul',
      '01',
      '1.',
      '"\\ud800"',
      '"\\x"',
      '"a\u0001"',
      '-',
      '1e400',
    ]);
  if (random.chance(0.1)) return 'null';
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) && random.chance(0.8)) return text;
  if (/^(true|false)$/.test(text)) return text;
  return random.chance(0.05)
    ? `"${text.replace(/[\s\S]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
    : JSON.stringify(text);
}

function jsonRow(): string {
  const space = (): string => (random.chance(0.05) ? random.pick([' ', '\t']) : '');
  const names = NAMES.filter(() => random.chance(0.95));
  if (random.chance(0.03)) names.push(random.pick([...NAMES, 'late', 'sp\\u0061re']));
  const members = names.map((name) => `${space()}"${name}"${space()}:${space()}${jsonValue(name)}${space()}`);
  return random.chance(0.02) ? random.pick(['', '  ', '[]', '7', '{}', '{"id":1']) : `{${members.join(',')}}`;
}

function generated({ delimiter }: Choice, rows: number): Uint8Array {
  const row = delimiter === null ? jsonRow : () => csvRow(delimiter);
  const end = random.pick(['\n', '\r\n']);
  const lines = Array.from({ length: rows }, row);
  const text =
    (delimiter === null ? '' : `${NAMES.join(delimiter)}${end}`) + lines.join(end) + random.pick(['', end]);
  const bytes = Buffer.from(text);
  // Some bytes that are not UTF-8.
  if (random.chance(0.3)) for (let count = 0; count < 5; count++) bytes[random.below(bytes.length)] = 0xfc;
  return bytes;
}

async function* inParts(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const size = random.between(1, 5_000);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

interface Expected {
  readonly rows: readonly BodyRow[];
  readonly bad: readonly BadRow[];
  readonly empties: EmptyTexts;
  readonly late: ReadonlyMap<string, number>;
}

function byRules(block: TextBlock, plan: TextPlan, from: number): Expected {
  const empties = new EmptyTexts();
  const late = new Map<string, number>();
  const note = (name: string, line: number): void => void (late.has(name) || late.set(name, line));
  const format = rowFormatOf(plan, empties, note) as RowFormat<unknown>;
  const converter = new RowConverter(plan.mapping, plan.names, plan.rowName);
  const rows: BodyRow[] = [];
  const bad: BadRow[] = [];
  for (const one of blocksOfText(block, format, from, block.count)) {
    if (plan.delimiter === null) empties.addBlock(one);
    bad.push(...one.broken);
    for (let index = 0; index < one.count; index++) {
      const converted = converter.convert(one, index);
      if ('reason' in converted) bad.push(converted);
      else rows.push(converted);
    }
  }
  return { rows, bad: bad.sort((a, b) => a.row - b.row), empties, late };
}

/** Those of the columns that are imported. */
const countsOf = (counts: Iterable<readonly [number, number]>, { mapping: { targets } }: TextPlan) =>
  new Map([...counts].filter(([column]) => targets.some(({ source }) => source === column)));

/** What a column stores for a value of a body of rows; null = it cannot be expressed. */
function stored({ form: { type } }: Target, piece: string): unknown {
  switch (baseTypeOf(type)) {
    case 'integer':
      return BigInt(piece);
    case 'decimal':
      return (readDecimal(piece)?.digits.length ?? 0) > 15 ? null : Number(piece) + 0;
    case 'boolean':
      return piece === 'true';
    case 'date':
      return (parseDate(JSON.parse(piece)) ?? Number.NaN) * SECONDS_PER_DAY * 1_000;
    case 'datetime':
      return (parseInstant(JSON.parse(piece)) ?? Number.NaN) * 1_000;
    default:
      return JSON.parse(piece);
  }
}

function inColumn(table: Table, name: string, row: number): unknown {
  return table.getChild(name)?.get(row);
}

/** Compares what can be sent with the rows. Returns whether it can. */
function compare(
  t: Test,
  table: Table | null,
  { mapping, dateFields }: TextPlan,
  { rows }: Expected,
): boolean {
  let isExpressible = true;
  const differences: string[] = [];
  rows.forEach(({ id, pieces, rests }, row) => {
    if (table !== null && inColumn(table, 'entity-id', row) !== id) differences.push(`${row}: id ${id}`);
    mapping.targets.forEach((target, index) => {
      const piece = pieces[index];
      const field = dateFields[index];
      const json = piece !== null && field !== null ? piece.slice('{"value":'.length) : piece;
      const wanted = json === null ? null : stored(target, json);
      if (json !== null && wanted === null) isExpressible = false;
      if (table === null) return;
      const found = inColumn(table, target.column, row);
      if (found !== wanted)
        differences.push(`${row} ${target.column}: ${found} instead of ${wanted}, ${piece}`);
      if (field === null || piece === null) return;
      const date = JSON.parse(`{${rests[index].slice(1)}`).date;
      const seconds = inColumn(table, field, row);
      if (seconds !== (parseInstant(date) ?? 0) * 1_000)
        differences.push(`${row} ${field}: ${seconds} instead of ${date}`);
    });
  });
  t.strictSame(differences.slice(0, 5), []);
  return isExpressible;
}

const CHOICES: readonly Choice[] = [
  { delimiter: ',', id: [0], nulls: new Set(), reading: PLAIN_READING },
  { delimiter: ';', id: null, nulls: new Set(['n/a', '7']), reading: PLAIN_READING },
  {
    delimiter: '\t',
    id: [0, 1],
    nulls: new Set(['']),
    reading: { decimal: ',', dateFormats: ['DD.MM.YYYY'] },
  },
  { delimiter: null, id: [0], nulls: new Set(), reading: PLAIN_READING },
  { delimiter: null, id: [0, 3], nulls: new Set(['n/a', '7']), reading: PLAIN_READING },
  { delimiter: null, id: null, nulls: new Set(), reading: { decimal: ',', dateFormats: ['DD.MM.YYYY'] } },
];

t.test('columns have what rows would have, and the same rows are bad', async (t) => {
  let sent = 0;
  for (let round = 0; round < 60; round++) {
    const choice = CHOICES[round % CHOICES.length];
    const plan = planOf(choice);
    const bytes = generated(choice, random.pick([1, 20, 60, 300]));
    const columns = new TextColumns(plan, 2 ** 16);
    for await (const block of textBlocksOf(
      inParts(bytes),
      choice.delimiter,
      choice.delimiter === null ? 1 : 0,
    )) {
      const from = block.firstRow === 0 ? 1 : 0;
      const expected = byRules(block, plan, from);
      const read = columns.read(block, from, block.count);
      t.strictSame(read.bad, expected.bad, `round ${round}: bad rows`);
      t.equal(read.rowCount, expected.rows.length);
      t.strictSame(
        countsOf(read.empties, plan),
        countsOf(expected.empties.counts, plan),
        `round ${round}: empty texts`,
      );
      t.strictSame(new Map(read.late), expected.late, `round ${round}: late members`);
      const isExpressible = compare(t, read.body === null ? null : tableFromIPC(read.body), plan, expected);
      t.equal(read.needsRows, !isExpressible, `round ${round}: needs rows`);
      t.equal(read.body === null, !isExpressible || expected.rows.length === 0);
      t.strictSame(columns.read(block, from, block.count).body, read.body, 'again the same body');
      if (read.body !== null) sent++;
    }
  }
  t.ok(sent > 10, `${sent} blocks as columns`);
});
