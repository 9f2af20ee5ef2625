/**
 * Generated expressions and conditions that mean the same in PostgreSQL, DuckDB and SQLite: no overflow, no division by zero,
 * no comparison of different types. Signs and NULL may stand wherever the grammar allows them.
 */
import type { Prng } from '../../src/base/index.js';

/** I: integer, R: number with a fraction, T: text. */
export type SourceType = 'I' | 'R' | 'T';

export interface SourceColumn {
  readonly name: string;
  readonly type: SourceType;
}

const WORDS = ['a', 'ab', 'b', 'x', 'zz'];
const PATTERNS = ['a%', '%b', '%', '_', 'a_', '%d', ''];

export class Expressions {
  readonly #prng: Prng;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  value(type: SourceType, columns: readonly SourceColumn[], depth: number): string {
    const prng = this.#prng;
    if (depth <= 0 || prng.chance(0.25)) return this.#leaf(type, columns);
    const again = (): string => this.value(type, columns, depth - 1);
    switch (prng.below(7)) {
      case 0:
        return `COALESCE ( ${again()}, ${again()} )`;
      case 1:
        return `NULLIF ( ${again()}, ${again()} )`;
      case 2:
        return this.#case(again, columns, depth);
      case 3:
        return type === 'T' ? `TRIM ( ${again()} )` : `( ${again()} )`;
      default:
        return type === 'T' ? this.#text(again) : this.#number(type, again, columns);
    }
  }

  #case(value: () => string, columns: readonly SourceColumn[], depth: number): string {
    const otherwise = this.#prng.chance(0.7) ? ` ELSE ${value()}` : '';
    if (this.#prng.chance(0.5)) {
      return `CASE WHEN ${this.condition(columns, depth - 1)} THEN ${value()}${otherwise} END`;
    }
    const [of, to] = [this.value('I', columns, 0), this.value('I', columns, 0)];
    return `CASE ${of} WHEN ${to} THEN ${value()}${otherwise} END`;
  }

  #text(again: () => string): string {
    const prng = this.#prng;
    return prng.pick([
      () => `LOWER ( ${again()} )`,
      () => `( ${again()} || ${again()} )`,
      () => `SUBSTR ( ${again()}, ${prng.between(1, 3)}, ${prng.between(1, 2)} )`,
      () => `REPLACE ( ${again()}, 'a', 'q' )`,
      () => `TRIM ( ${again()} )`,
    ])();
  }

  #number(type: SourceType, again: () => string, columns: readonly SourceColumn[]): string {
    const prng = this.#prng;
    const [left, right] = [again(), this.#leaf(type, columns)];
    const sign = prng.pick(['+ ', '- ', '', '']);
    switch (prng.below(type === 'I' ? 6 : 4)) {
      case 0:
        return `${sign}${left} * ${right}`;
      case 1:
        return `ABS ( ${left} )`;
      case 4:
        return `${left} / ${prng.between(1, 90)}`;
      case 5:
        return `LENGTH ( ${this.value('T', columns, 1)} )`;
      default:
        return `${sign}${left} ${prng.pick(['+', '-'])} ${prng.pick(['', '+ ', '- '])}${right}`;
    }
  }

  #leaf(type: SourceType, columns: readonly SourceColumn[]): string {
    const prng = this.#prng;
    const own = columns.filter((column) => column.type === type);
    const isColumn = own.length > 0 && prng.chance(0.75);
    if (!isColumn && prng.chance(0.06))
      return type === 'I' ? 'CAST ( NULL AS INTEGER )' : this.#typedNull(type);
    if (type === 'T') return isColumn ? prng.pick(own).name : `'${prng.pick(WORDS)}'`;
    const number = type === 'I' ? String(prng.below(100)) : `${prng.below(100)}.${prng.pick(['5', '25'])}`;
    const text = isColumn ? prng.pick(own).name : number;
    return prng.pick([text, text, text, `+ ${text}`, `- ${text}`, `( ${text} )`, `( - ${text} )`]);
  }

  #typedNull(type: SourceType): string {
    return type === 'T' ? 'CAST ( NULL AS TEXT )' : 'CAST ( NULL AS REAL )';
  }

  aggregate(type: SourceType, columns: readonly SourceColumn[]): string {
    const prng = this.#prng;
    const of = (wanted: SourceType): string => this.value(wanted, columns, 1);
    const choice = prng.pick(['', '', 'ALL ', 'DISTINCT ']);
    const sign = type === 'T' ? '' : prng.pick(['', '', '+ ', '- ']);
    if (type === 'T') return `${prng.pick(['MIN', 'MAX'])} ( ${choice}${of('T')} )`;
    if (type === 'R') return `${sign}${prng.pick(['SUM', 'MIN', 'MAX', 'AVG'])} ( ${choice}${of('R')} )`;
    const any = prng.pick(['I', 'I', 'R', 'T'] as const);
    const call = prng.pick([
      'COUNT ( * )',
      `COUNT ( ${choice}${of(any)} )`,
      `SUM ( ${choice}${of('I')} )`,
      `MIN ( ${choice}${of('I')} )`,
      `MAX ( ${choice}${of('I')} )`,
    ]);
    return `${sign}${call}${prng.pick(['', '', ` * ${prng.below(90)}`, ` + ${prng.below(90)}`])}`;
  }

  condition(columns: readonly SourceColumn[], depth: number): string {
    const prng = this.#prng;
    if (depth > 0 && prng.chance(0.45)) {
      const again = (): string => this.condition(columns, depth - 1);
      const joined = `${again()} ${prng.pick(['AND', 'OR'])} ${again()}`;
      return prng.pick([
        () => `NOT ( ${again()} )`,
        () => joined,
        () => `( ${joined} )`,
        () => `NOT ${again()}`,
      ])();
    }
    const type = prng.pick(['I', 'I', 'I', 'R', 'T'] as const);
    const value = (): string => (prng.chance(0.06) ? 'NULL' : this.value(type, columns, Math.min(depth, 1)));
    const not = prng.pick(['', 'NOT ']);
    switch (prng.below(type === 'T' ? 6 : 5)) {
      case 0:
        return `${value()} IS ${not}NULL`;
      case 1:
        return `${value()} ${not}BETWEEN ${value()} AND ${value()}`;
      case 2:
        return `${value()} ${not}IN ( ${Array.from({ length: prng.between(1, 4) }, value).join(', ')} )`;
      case 5:
        return `${this.value('T', columns, 1)} ${not}LIKE '${prng.pick(PATTERNS)}'`;
      default:
        return `${value()} ${prng.pick(['=', '<', '>', '<=', '>=', '<>'])} ${value()}`;
    }
  }
}
