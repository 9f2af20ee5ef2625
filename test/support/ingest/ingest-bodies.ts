/** A model with a column of every type, storage and rule, and seeded insert bodies for it, valid and invalid. */
import type { Prng } from '../../../src/base/index.js';
import {
  type Column,
  type ColumnType,
  type DatabaseModel,
  type Dimension,
  newDimension,
  type Relation,
} from '../../../src/schema/index.js';

/** 2026-02-01T12:00:00.500Z */
export const NOW_MS = Date.UTC(2026, 1, 1, 12) + 500;

export function column(id: number, apiName: string, type: ColumnType, more: Partial<Column> = {}): Column {
  const base = type.replace('-event', '');
  return {
    id,
    name: apiName,
    apiName,
    description: '',
    type,
    storage: type.endsWith('-event') ? null : 'latest-value',
    cardinality: base === 'string' ? 'high' : null,
    decimalPlaces: base === 'decimal' ? 6 : null,
    range: type === 'enumerated' ? [-(2n ** 63n), -10n, 0n, 18n, 65n, 2n ** 53n + 1n] : null,
    retentionDays: null,
    textCase: 'fold',
    active: true,
    ...more,
  };
}

/** The relation `name`, made of some of `columns`. */
export function relation(
  id: number,
  name: string,
  columns: readonly Column[],
  apiNames: readonly string[],
): Relation {
  const related = columns.filter((made) => apiNames.includes(made.apiName));
  return { id, name, columnIds: related.map((made) => made.id) };
}

export function dimension(
  id: number,
  apiName: string,
  columns: readonly Column[],
  relations: readonly Relation[] = [],
): Dimension {
  const empty = newDimension({ id, apiName });
  return {
    ...empty,
    relations: new Map(relations.map((made) => [made.name, made])),
    columns: new Map([...empty.columns, ...columns.map((made) => [made.apiName, made] as const)]),
  };
}

export function modelOf(dimensions: readonly Dimension[], more: Partial<DatabaseModel> = {}): DatabaseModel {
  const columnIds = dimensions.flatMap(({ columns, relations }) =>
    Array.from([...columns.values(), ...relations.values()], (one) => one.id),
  );
  return {
    id: 1,
    name: 'sample',
    type: 'production',
    version: 5,
    shrinkVersion: 1,
    nextDimensionId: Math.max(0, ...dimensions.map((made) => made.id)) + 1,
    nextColumnId: Math.max(0, ...columnIds) + 1,
    textCase: 'fold',
    dimensions: new Map(dimensions.map((made) => [made.apiName, made])),
    ...more,
  };
}

const ATTRIBUTE_TYPES: readonly ColumnType[] = [
  'string',
  'integer',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'geolocation',
  'enumerated',
];
const EVENT_TYPES: readonly ColumnType[] = [
  'string-event',
  'integer-event',
  'decimal-event',
  'geolocation-event',
];

/** Every type as a latest-value and as a list, every event type, and special cases. Ids start at `firstId`. */
function allColumns(firstId: number): Column[] {
  const made: Column[] = [];
  const add = (apiName: string, type: ColumnType, more: Partial<Column> = {}): void => {
    made.push(column(firstId + made.length, apiName, type, more));
  };
  for (const type of ATTRIBUTE_TYPES) add(type === 'string' ? 'country' : `a-${type}`, type);
  for (const type of ATTRIBUTE_TYPES) add(`list-of-${type}-values`, type, { storage: 'list-of-values' });
  for (const type of EVENT_TYPES) add(type, type);
  add('kept-30-days', 'integer-event', { retentionDays: 30 });
  add('gone', 'integer', { active: false });
  add('d20', 'decimal', { decimalPlaces: 20 });
  add('d1', 'decimal', { decimalPlaces: 1 });
  add('visit-page', 'string-event');
  add('visit-price', 'decimal-event');
  add('visit-place', 'geolocation-event');
  add('call-who', 'string-event');
  add('call-minutes', 'integer-event');
  return made;
}

/** A dimension with `allColumns`, some of them in relations. */
function allOf(id: number, apiName: string, firstId: number): Dimension {
  const columns = allColumns(firstId);
  return dimension(id, apiName, columns, [
    relation(firstId + 90, 'visit', columns, ['visit-page', 'visit-price', 'visit-place']),
    relation(firstId + 91, 'call', columns, ['call-who', 'call-minutes']),
  ]);
}

export function sampleModel(): DatabaseModel {
  return modelOf([allOf(1, 'default', 1), allOf(2, 'people', 101), dimension(7, 'empty', [])]);
}

/** The sample model, in which `people` and every second string column preserve case. */
export function mixedCaseModel(): DatabaseModel {
  const model = sampleModel();
  const dimensions = Array.from(model.dimensions.values(), (one): Dimension => {
    const columns = Array.from(one.columns.values(), (made): Column => {
      const isPreserved = made.type.startsWith('string') ? made.id % 2 === 0 : made.type === 'unique-id';
      return isPreserved && (made.type !== 'unique-id' || one.apiName === 'people')
        ? { ...made, textCase: 'preserve' }
        : made;
    });
    return {
      ...one,
      textCase: one.apiName === 'people' ? 'preserve' : 'fold',
      columns: new Map(columns.map((made) => [made.apiName, made])),
    };
  });
  return { ...model, dimensions: new Map(dimensions.map((one) => [one.apiName, one])) };
}

/** Most of the model's columns, for a caller who may write only those; sometimes null, which means all. */
export function someColumnIds(random: Prng, model: DatabaseModel): number[] | null {
  if (random.chance(0.7)) return null;
  const columns = Array.from(model.dimensions.values(), (one) => [...one.columns.values()]).flat();
  return columns.filter(() => random.chance(0.97)).map((one) => one.id);
}

const TEXTS = [
  'Germany',
  'x',
  'ümläut ÄÖ',
  'İstanbul',
  'ΣΊΣΥΦΟΣ',
  'K',
  'Ⱥ',
  '日本',
  '😀 ok',
  'a"b\\c/',
  'tab\t\u0000nul',
  'true',
  '2026-01-05',
];
const INTEGERS = [
  '0',
  '-0',
  '1',
  '-1',
  '42',
  '999999999999999',
  '9007199254740991',
  '9007199254740993',
  '-9007199254740993',
  '4294967296',
  '-4294967297',
  '2147483648',
  '9223372036854775807',
  '-9223372036854775808',
];
const BAD_INTEGERS = [
  '1.0',
  '1e3',
  '9223372036854775808',
  '-9223372036854775809',
  '1e400',
  '"1"',
  'true',
  '99999999999999999999999999',
];
const DECIMALS = [
  '0',
  '-0.0',
  '1.5',
  '-1234.56',
  '0.000001',
  '1234567.123456',
  '1e3',
  '1.5E-3',
  '25e-1',
  '9223372036854.775807',
  '-9223372036854.775808',
  '1.50000000000000000000000',
  '0.1e1',
];
const BAD_DECIMALS = [
  '0.0000001',
  '9223372036854.775808',
  '1e400',
  '1e-400',
  '"1.5"',
  '0.1234567',
  '123456789012345678901',
  '1e99999999999999999999',
];
const DATES = ['2026-01-05', '1990-01-01', '2000-02-29', '2026-02-01'];
const BAD_DATES = [
  '2026-02-30',
  '2026-13-01',
  '2025-02-29',
  '26-01-05',
  '2026-1-5',
  '2026-01-05x',
  'today',
  '2026-00-10',
  '2026-01-00',
  '2026/01/05',
];
const DATETIMES = [
  '2026-01-05T10:00:00Z',
  '2026-01-05t10:00:00z',
  '2026-01-05T10:00:00+03:00',
  '2025-12-31T23:59:59.123Z',
  '1990-01-01T00:00:00Z',
  '2026-02-01T12:00:00Z',
  '2025-06-30T23:30:00-01:30',
];
const BAD_DATETIMES = [
  '2026-01-05T24:00:00Z',
  '2026-01-05T10:60:00Z',
  '2026-01-05T10:00:60Z',
  '2026-01-05T10:00:00',
  '2026-01-05T10:00Z',
  '2026-02-30T10:00:00Z',
  '2026-01-05 10:00:00Z',
  '2026-01-05T10:00:00+24:00',
];
const ODD_EVENT_DATES = [
  '2026-02-01T12:00:01Z',
  '2027-01-01',
  '1989-12-31',
  '1989-12-31T23:59:59Z',
  '1990-01-01T00:30:00+01:00',
  '2026-01-02T12:00:00Z',
  '2026-01-02T11:59:59Z',
  '0000-01-01',
  '9999-12-31T23:59:59Z',
];
const POINTS = [
  '[13.4,52.5]',
  '[ -180 , -90 ]',
  '[180,90]',
  '[0,-0.0]',
  '[1e1,2.5E1]',
  '[0.1234567890123456789,1]',
  '[-74.00597,40.71427]',
];
const BAD_POINTS = [
  '[180.0001,0]',
  '[0,90.1]',
  '[1]',
  '[]',
  '[1,2,3]',
  '["1",2]',
  '[1e400,0]',
  '5',
  '"1,2"',
  '[null,1]',
  '[[1,2]]',
];
const WRONG = ['null', '{}', '[]', '""', '1', '"x"', 'false', '[1]', '{"value":1}', '[[]]', '[null]', '[{}]'];

/** Writes one body; `errorChance` is the probability that a value, key or entity is invalid. */
export class BodyWriter {
  readonly #random: Prng;
  readonly #errorChance: number;
  readonly #model: DatabaseModel;
  readonly #spaced: boolean;
  /** Whether new columns may be written: the body then has auto-create. */
  readonly #creates: boolean;
  #idCount = 0;

  constructor(random: Prng, model: DatabaseModel, errorChance: number) {
    this.#random = random;
    this.#model = model;
    this.#errorChance = errorChance;
    this.#spaced = random.chance(0.3);
    this.#creates = random.chance(0.35);
  }

  body(): string {
    const random = this.#random;
    const members: string[] = [];
    const count = random.chance(0.05) ? 0 : random.between(1, 6);
    for (let index = 0; index < count; index++) members.push(`${this.#id()}${this.#gap()}:${this.#entity()}`);
    if (this.#creates) {
      const value = this.#invalidValue()
        ? random.pick(['true', '[]', '["dimension"]', '["columns"]', '"column"', '[1]', '{}', 'null'])
        : random.pick([
            '["dimension","column"]',
            '["column"]',
            '[ "dimension" ]',
            '[]',
            '["column","column"]',
          ]);
      const key = random.chance(0.1) ? '"auto\\u002dcreate"' : '"auto-create"';
      members.splice(random.below(members.length + 1), 0, `${key}:${value}`);
    }
    return `${this.#gap()}{${members.join(`${this.#gap()},${this.#gap()}`)}}${this.#gap()}`;
  }

  #invalidValue(): boolean {
    return this.#random.chance(this.#errorChance);
  }

  #gap(): string {
    return this.#spaced ? this.#random.pick(['', ' ', '\n', '\t \r\n']) : '';
  }

  /** A JSON string of `text`, sometimes with needless escapes. */
  #string(text: string): string {
    if (!this.#random.chance(0.1)) return JSON.stringify(text);
    const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
  }

  #id(): string {
    if (this.#invalidValue()) {
      const pick = this.#random.below(4);
      if (pick === 0) return '""';
      if (pick === 1) return `"${'é'.repeat(this.#random.pick([1000, 1001, 1300]))}"`;
      return this.#string(`u${this.#random.below(this.#idCount + 1)}`);
    }
    const names = ['u', 'User-', 'İ', '日', 'auto-create-', '😀', 'AUTO'];
    return this.#string(`${this.#random.chance(0.7) ? 'u' : this.#random.pick(names)}${this.#idCount++}`);
  }

  #entity(): string {
    const random = this.#random;
    if (this.#invalidValue()) return random.pick(['1', '[]', 'null', '"x"', '{}', '{"dimension":"people"}']);
    const members: string[] = [];
    const known = this.#model.dimensions.get('people') as Dimension;
    const related = new Set(Array.from(known.relations.values(), ({ columnIds }) => columnIds).flat());
    const count = random.between(1, 5);
    for (let index = 0; index < count; index++) {
      if (this.#invalidValue())
        members.push(
          `${random.pick(['"entity-id"', '"gone"', '"Country"', '"no such"', '""', `"${'k'.repeat(70)}"`])}:1`,
        );
      else if (this.#creates ? random.chance(0.3) : this.#invalidValue())
        members.push(`"new-${random.below(4)}":${this.#newValue()}`);
      else {
        const relatedToo = this.#invalidValue();
        const names = [...known.columns.values()].filter(
          (made) => made.active && made.id !== 0 && (relatedToo || !related.has(made.id)),
        );
        const chosen = random.pick(names);
        members.push(
          `${this.#string(chosen.apiName)}${this.#gap()}:${this.#gap()}${this.#columnValue(chosen)}`,
        );
      }
    }
    for (const { columnIds } of known.relations.values()) {
      if (random.chance(0.25)) this.#relate(members, known, columnIds);
    }
    if (random.chance(0.5)) {
      const name = this.#invalidValue()
        ? random.pick(['null', '1', '"nope"', '"new-dim"', '"Bad Dim"', '["people"]', `"${'d'.repeat(65)}"`])
        : '"people"';
      const member = `${random.chance(0.1) ? '"dimensi\\u006fn"' : '"dimension"'}:${name}`;
      members.splice(random.chance(0.7) ? 0 : random.below(members.length + 1), 0, member);
      if (random.chance(0.03)) members.splice(random.below(members.length + 1), 0, '"dimension":"default"');
    }
    return `{${this.#gap()}${members.join(`,${this.#gap()}`)}${this.#gap()}}`;
  }

  /** Adds some columns of a relation with equal numbers of events, unless the body is to be invalid. */
  #relate(members: string[], known: Dimension, columnIds: readonly number[]): void {
    const random = this.#random;
    const count = random.below(4);
    for (const made of known.columns.values()) {
      if (!columnIds.includes(made.id) || random.chance(0.2)) continue;
      const eventCount = this.#invalidValue() ? random.below(4) : count;
      const parts = random.chance(0.1) ? [1, eventCount - 1] : [eventCount];
      if (parts.some((part) => part < 0)) continue;
      for (const part of parts) {
        const events = Array.from({ length: part }, () => this.#event(made));
        const value = part === 1 && random.chance(0.3) ? events[0] : `[${events.join(',')}]`;
        members.splice(random.below(members.length + 1), 0, `${this.#string(made.apiName)}:${value}`);
      }
    }
  }

  #columnValue(made: Column): string {
    if (this.#random.chance(this.#errorChance / 2)) return this.#random.pick(WRONG);
    const count = this.#random.pick([0, 1, 1, 2, 3]);
    if (made.type.endsWith('-event')) {
      if (this.#random.chance(0.3)) return this.#event(made);
      return `[${Array.from({ length: count }, () => this.#event(made)).join(`${this.#gap()},`)}${this.#gap()}]`;
    }
    if (this.#random.chance(0.06)) return 'null';
    if (made.storage === 'latest-value') return this.#value(made);
    return `[${this.#gap()}${Array.from({ length: count }, () => this.#value(made)).join(`,${this.#gap()}`)}]`;
  }

  #event(made: Column): string {
    const members = [`"value":${this.#gap()}${this.#value(made)}`];
    if (this.#random.chance(0.7)) {
      const date = this.#invalidValue()
        ? this.#random.pick([...BAD_DATES, ...BAD_DATETIMES, ...ODD_EVENT_DATES])
        : this.#random.pick(
            made.retentionDays === null
              ? [...DATES, ...DATETIMES]
              : [
                  '2026-01-05',
                  '2026-01-05T10:00:00Z',
                  '2026-01-10',
                  '2026-02-01',
                  this.#random.pick(['2026-01-20', '2025-12-24']),
                ],
          );
      members.splice(
        this.#random.below(2),
        0,
        `"date"${this.#gap()}:${this.#invalidValue() ? '5' : this.#string(date)}`,
      );
    }
    if (this.#random.chance(0.02)) members.push(`"value":${this.#value(made)}`);
    if (this.#invalidValue()) members.splice(0, 1);
    if (this.#invalidValue()) members.push('"note":1');
    return `{${members.join(`,${this.#gap()}`)}}`;
  }

  #value(made: Column): string {
    const random = this.#random;
    const bad = this.#invalidValue();
    switch (made.type.replace('-event', '')) {
      case 'string':
        if (bad) return random.pick(['""', '1', 'null', `"${'x'.repeat(1001)}"`, `"${'ß'.repeat(1001)}"`]);
        return random.chance(0.02)
          ? `"${'Y'.repeat(random.between(995, 1000))}"`
          : this.#string(random.pick(TEXTS));
      case 'integer':
      case 'enumerated':
        return random.pick(bad ? BAD_INTEGERS : INTEGERS);
      case 'decimal':
        return random.pick(
          bad
            ? [...BAD_DECIMALS, ...DECIMALS]
            : made.decimalPlaces === 6
              ? DECIMALS
              : [
                  '0',
                  '0.0',
                  '-0.0',
                  '0e5',
                  made.decimalPlaces === 20 ? '0.01234567890123456789' : '92233720368547758.07e1',
                ],
        );
      case 'boolean':
        return random.pick(
          bad ? ['"True"', '1', '"yes"', 'null', '"tru"'] : ['true', 'false', '"true"', '"false"'],
        );
      case 'date':
        return bad
          ? random.pick(['5', 'null', ...BAD_DATES.map((text) => `"${text}"`)])
          : this.#string(random.pick(DATES));
      case 'datetime':
        return bad
          ? random.pick(['5', ...[...BAD_DATETIMES, ...DATES].map((text) => `"${text}"`)])
          : this.#string(random.pick(DATETIMES));
      default:
        return random.pick(bad ? BAD_POINTS : POINTS);
    }
  }

  /** A value of a column that does not exist yet, mostly of one kind per column, so that some bodies are valid. */
  #newValue(): string {
    const random = this.#random;
    if (this.#invalidValue())
      return random.pick([
        'null',
        '[]',
        '{}',
        '[null]',
        'true',
        '"x"',
        '1.5',
        '[1]',
        '{"value":1}',
        '[[1]]',
        '[{"value":true}]',
        '1e-30',
        '"false"',
      ]);
    return random.pick(['1', '2.25', '1', '3', '0.123456789', '1e2', 'null', '7']);
  }
}
