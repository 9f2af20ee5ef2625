/** Reading the fields of the team's objects (databases, keys, users, groups), whose faults all have one code each. */
import { type ErrorCode, QuarryError, quoted } from '../base/index.js';
import { objectAt, refuseUnknown } from './fields.js';
import { isList, type Json, type JsonObject, kindOf } from './json.js';

const TEXT_CHARS_MAX = 1_024;
const LIST_ITEMS_MAX = 1_000;

/** The fields of one object; every fault is a QuarryError with `code` that names field and place. */
export class TeamFields {
  readonly object: JsonObject;
  readonly code: ErrorCode;
  readonly place: string;

  /** Throws when `json` is no object, or has a field that `known` does not name. */
  constructor(json: Json | undefined, known: readonly string[], code: ErrorCode, place: string) {
    this.object = objectAt(json, code, place);
    this.code = code;
    this.place = place;
    refuseUnknown(this.object, known, code, place);
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
    if (value.length > TEXT_CHARS_MAX) throw this.fault(field, `is longer than ${TEXT_CHARS_MAX} characters`);
    return value;
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
    if (value.length > LIST_ITEMS_MAX) throw this.fault(field, `has more than ${LIST_ITEMS_MAX} items`);
    return value;
  }

  texts(field: string, absent: readonly string[]): readonly string[] {
    return (
      this.list(field)?.map((item, index) => {
        if (typeof item !== 'string')
          throw this.fault(field, `has ${kindOf(item)} at [${index}], not a string`);
        if (item.length > TEXT_CHARS_MAX) throw this.fault(field, `has too long a string at [${index}]`);
        return item;
      }) ?? absent
    );
  }
}
