/**
 * Reading the fields of the team's objects (databases, keys, users, groups), whose faults all have one code each.
 * A field that is null counts as absent, as clients write fields that they do not set: so a PUT never takes a
 * restriction away by chance. An empty text, list or object takes away what was set. Lengths are in code points.
 */
import { checkAll, type ErrorCode, NAME_CHARS_MAX, QuarryError, quoted } from '../base/index.js';
import { objectAt, readKnown } from './fields.js';
import { isList, type Json, type JsonObject, kindOf } from './json.js';

export const TEAM_TEXT_CHARS_MAX = 1_024;
export const TEAM_LIST_ITEMS_MAX = 1_000;
/** Controls, line breaks, and marks that turn the text around them. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export function isLonger(text: string, pointsMax: number): boolean {
  return text.length > pointsMax && (text.length > 2 * pointsMax || [...text].length > pointsMax);
}

/** The fields of one object; every fault is a QuarryError with `code` that names field and place. */
export class TeamFields {
  readonly object: JsonObject;
  readonly code: ErrorCode;
  readonly place: string;

  private constructor(object: JsonObject, code: ErrorCode, place: string) {
    this.object = object;
    this.code = code;
    this.place = place;
  }

  /**
   * What `read` gives of the fields of `json`. Throws when that is no object or has a field that `known` does not
   * name; unknown fields are told first, beside the faults of `read`.
   */
  static read<T>(
    json: Json | undefined,
    known: readonly string[],
    code: ErrorCode,
    place: string,
    read: (fields: TeamFields) => T,
  ): T {
    const fields = new TeamFields(objectAt(json, code, place), code, place);
    return readKnown(fields.object, known, code, place, () => read(fields));
  }

  has(field: string): boolean {
    return (this.object.get(field) ?? null) !== null;
  }

  fault(field: string, what: string): QuarryError {
    return new QuarryError(this.code, `${quoted(field)} in ${this.place} ${what}`);
  }

  /** The text at `field`; `absent` when it is not there, or a fault without one. */
  text(field: string, absent?: string): string {
    const value = this.object.get(field) ?? null;
    if (value === null && absent !== undefined) return absent;
    if (value === null) throw this.fault(field, 'is missing');
    if (typeof value !== 'string') throw this.fault(field, `must be a string, not ${kindOf(value)}`);
    if (isLonger(value, TEAM_TEXT_CHARS_MAX))
      throw this.fault(field, `is longer than ${TEAM_TEXT_CHARS_MAX} characters`);
    return value;
  }

  /** A name of 1 to 64 printable characters, not all of them blank. */
  name(field: string): string {
    const name = this.text(field);
    if (name.trim() === '') throw this.fault(field, 'is empty');
    if (UNPRINTABLE.test(name)) throw this.fault(field, 'has characters that cannot be printed');
    if (isLonger(name, NAME_CHARS_MAX))
      throw this.fault(field, `is longer than ${NAME_CHARS_MAX} characters`);
    return name;
  }

  /** One of `choices`. */
  choice<Choice extends string>(field: string, choices: readonly Choice[], absent?: Choice): Choice {
    const value = this.text(field, absent);
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined)
      throw this.fault(field, `must be one of ${choices.join(', ')}, not ${quoted(value)}`);
    return chosen;
  }

  /** The list at `field`, or `absent`. */
  list(field: string): readonly Json[] | null {
    const value = this.object.get(field) ?? null;
    if (value === null) return null;
    if (!isList(value)) throw this.fault(field, `must be a list, not ${kindOf(value)}`);
    if (value.length > TEAM_LIST_ITEMS_MAX)
      throw this.fault(field, `has more than ${TEAM_LIST_ITEMS_MAX} items`);
    return value;
  }

  /** The distinct texts of the list at `field`, or `absent`. */
  texts(field: string, absent: readonly string[]): readonly string[] {
    const items = this.list(field);
    if (items === null) return absent;
    return [
      ...new Set(
        checkAll(items, (item, index) => {
          if (typeof item !== 'string')
            throw this.fault(field, `has ${kindOf(item)} at [${index}], not a string`);
          if (isLonger(item, TEAM_TEXT_CHARS_MAX))
            throw this.fault(field, `has too long a string at [${index}]`);
          return item;
        }),
      ),
    ];
  }
}
