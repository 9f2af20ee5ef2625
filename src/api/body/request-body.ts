/**
 * Reads the objects of requests by their schemas in src/interface: kinds, forms, bounds, and the error code of each.
 * Invariants: the checks run in the order of the readers given to `read`; unknown fields are refused first; a
 * refusal contains the errors of all fields, in that order.
 */
import { checkAll, type ErrorCode, QuarryError, quoted } from '../../base/index.js';
import type { Body, Codes, Fields, ReadFields, Schema, Unread } from '../../interface/index.js';
import { objectAt, readAll } from './fields.js';
import { ExactNumber, isList, type Json, type JsonObject, kindOf } from './json.js';

/** Unknown fields of an object beyond this many are not reported. */
const UNKNOWN_REPORTED_MAX = 20;
const INTEGER = /^-?\d+$/;

/** The value that the reader returns for a field; a part that is bound against the model stays JSON. */
type Value<R> = R extends Unread ? Json : R extends readonly Unread[] ? readonly Json[] : R;
export type FieldValue<F, Name extends keyof F> = Value<ReadFields<F>[Name]>;

/** How messages name a field: `"limit" in the body`, or `query[0].age.minfreq`. */
type Naming = 'quoted' | 'path';

/** The error of a value: the kind of error, which selects a code of its schema, and the message after the value's name. */
class ValueError {
  readonly kind: keyof Codes;
  readonly text: string;
  constructor(kind: keyof Codes, text: string) {
    this.kind = kind;
    this.text = text;
  }
}

/** One object of a request. */
export class RequestBody<F extends Fields = Fields> {
  readonly object: JsonObject;
  readonly path: string;
  readonly #schema: Pick<Body<F>, 'properties' | 'codes'>;
  readonly #naming: Naming;

  private constructor(
    schema: Pick<Body<F>, 'properties' | 'codes'>,
    object: JsonObject,
    path: string,
    naming: Naming,
  ) {
    this.#schema = schema;
    this.object = object;
    this.path = path;
    this.#naming = naming;
  }

  /** Throws if the value is not an object. */
  static of<F extends Fields>(
    schema: Pick<Body<F>, 'properties' | 'codes'>,
    json: Json | undefined,
    path = 'the body',
    naming: Naming = 'quoted',
  ): RequestBody<F> {
    return new RequestBody(schema, objectAt(json, schema.codes.type, path), path, naming);
  }

  /** Whether the field is present and not null. */
  has(name: keyof F & string): boolean {
    return (this.object.get(name) ?? null) !== null;
  }

  /** An error of the field that its schema cannot detect. */
  error(name: keyof F & string, text: string): QuarryError {
    return new QuarryError(this.#code(name, 'wrong'), `${this.#nameOf(name)} ${text}`);
  }

  /** The value of the field; undefined if it is absent, or null where null is allowed. */
  get<Name extends keyof F & string>(name: Name): FieldValue<F, Name> {
    const schema = this.#schema.properties[name];
    const json = this.object.get(name);
    const found = json === undefined ? absent(schema) : readAs(schema, json);
    if (found instanceof ValueError) throw this.#error(name, found);
    if (found instanceof ValueErrors) throw found.error((fault) => this.#error(name, fault));
    return found as FieldValue<F, Name>;
  }

  /** Throws for the first of the fields that is missing. */
  require(...names: readonly (keyof F & string)[]): void {
    for (const name of names) {
      if (!this.object.has(name)) throw this.#error(name, new ValueError('missing', 'is missing'));
    }
  }

  /** The values of all fields. */
  values(): { readonly [Name in keyof F]: FieldValue<F, Name> } {
    const names = Object.keys(this.#schema.properties);
    const entries = checkAll(names, (name) => [name, this.get(name)] as const);
    return Object.fromEntries(entries) as { readonly [Name in keyof F]: FieldValue<F, Name> };
  }

  /** Returns the result of `read`. Errors of unknown fields come before the errors that `read` throws. */
  read<T>(read: (body: this) => T): T {
    return readAll({ unknown: () => this.refuseUnknown(), known: () => read(this) }).known;
  }

  refuseUnknown(): void {
    const { properties, codes } = this.#schema;
    const unknown: string[] = [];
    for (const key of this.object.keys()) if (!Object.hasOwn(properties, key)) unknown.push(key);
    if (unknown.length === 0) return;
    checkAll(unknown.slice(0, UNKNOWN_REPORTED_MAX), (key) => {
      throw new QuarryError(codes.wrong, `unknown field ${quoted(key)} in ${this.path}`);
    });
  }

  #error(name: string, { kind, text }: ValueError): QuarryError {
    const subject = kind === 'missing' ? `${quoted(name)} in ${this.path}` : this.#nameOf(name);
    return new QuarryError(this.#code(name, kind), `${subject} ${text}`);
  }

  #nameOf(name: string): string {
    return this.#naming === 'path' ? `${this.path}.${name}` : `${quoted(name)} in ${this.path}`;
  }

  #code(name: string, kind: keyof Codes): ErrorCode {
    const schema = this.#schema.properties[name];
    return codeOf(schema.reader?.codes, this.#schema.codes, kind);
  }
}

function codeOf(own: Codes | undefined, { missing, wrong }: Body['codes'], kind: keyof Codes): ErrorCode {
  if (kind === 'missing') return own?.missing ?? missing;
  if (kind === 'null') return own?.null ?? own?.missing ?? missing;
  return own?.[kind] ?? own?.wrong ?? wrong;
}

/** The errors of several items of a list. */
class ValueErrors {
  readonly #faults: readonly ValueError[];
  constructor(faults: readonly ValueError[]) {
    this.#faults = faults;
  }

  error(errorOf: (fault: ValueError) => QuarryError): QuarryError {
    const [first, ...also] = this.#faults.slice(0, ERRORS_OF_LIST_MAX).map(errorOf);
    return new QuarryError(first.code, first.message, first.moreInfo, also);
  }
}
const ERRORS_OF_LIST_MAX = 20;

const absent = (schema: Schema): ValueError | undefined =>
  schema.optional === true ? undefined : new ValueError('missing', 'is missing');

/** Reads a value that is not a field of a body; `name` is its subject in messages. */
export function readValue<S, R>(
  schema: Schema<S, R>,
  json: Json,
  name: string,
  codes: Body['codes'],
): Value<R> {
  const found = readAs(schema, json);
  if (found instanceof ValueErrors) throw found.error((fault) => errorOf(schema, fault, name, codes));
  if (found instanceof ValueError) throw errorOf(schema, found, name, codes);
  return found as Value<R>;
}

const errorOf = (
  schema: Schema,
  { kind, text }: ValueError,
  name: string,
  codes: Body['codes'],
): QuarryError => new QuarryError(codeOf(schema.reader?.codes, codes, kind), `${name} ${text}`);

/** The value as its schema reads it. */
function readAs(schema: Schema, json: Json): unknown {
  const { reader, of } = schema;
  if (reader === undefined || reader.kind === 'unread' || reader.kind === 'body') return json;
  if (of !== undefined) return json === null && schema.optional === true ? undefined : readAs(of, json);
  switch (reader.kind) {
    case 'text':
      return textOf(schema, json);
    case 'choice':
      return choiceOf(schema, json);
    case 'flag':
      return typeof json === 'boolean' ? json : typeError('true or false', json);
    case 'integer':
      return integerOf(schema, json);
    default:
      return listOf(schema, json);
  }
}

const typeError = (expected: string, json: Json): ValueError =>
  new ValueError('type', `must be ${expected}, not ${kindOf(json)}`);

function textOf({ reader, maxLength, minLength }: Schema, json: Json): string | ValueError {
  if (typeof json !== 'string') {
    return new ValueError(
      json === null ? 'null' : 'type',
      `must be ${reader?.noun ?? 'a string'}, not ${kindOf(json)}`,
    );
  }
  for (const { pattern, message } of reader?.forms ?? []) {
    if (!pattern.test(json)) return new ValueError('form', `${message}: ${quoted(json)}`);
  }
  if (typeof maxLength === 'number' && isLonger(json, maxLength)) {
    return new ValueError('long', `is longer than ${maxLength} characters`);
  }
  if (typeof minLength === 'number' && json.length < 2 * minLength && [...json].length < minLength) {
    return new ValueError(
      'empty',
      maxLength === undefined
        ? 'is an empty string'
        : `must have ${minLength} to ${String(maxLength)} characters`,
    );
  }
  return json;
}

/** Whether a text has more code points than `pointsMax`. */
export function isLonger(text: string, pointsMax: number): boolean {
  return text.length > pointsMax && (text.length > 2 * pointsMax || [...text].length > pointsMax);
}

function choiceOf(schema: Schema, json: Json): string | ValueError {
  const choices = schema.enum as readonly string[];
  if (typeof json === 'string' && choices.includes(json)) return json;
  const found = typeof json === 'string' ? quoted(json) : kindOf(json);
  return new ValueError(
    json === null ? 'null' : 'wrong',
    `must be one of ${choices.join(', ')}, not ${found}`,
  );
}

function integerOf({ reader, minimum, maximum }: Schema, json: Json): number | ValueError {
  const least = minimum as number;
  const expected =
    maximum === undefined
      ? `an integer of at least ${least}`
      : `an integer from ${least} to ${String(maximum)}`;
  if (!(json instanceof ExactNumber) || !INTEGER.test(json.text)) {
    const found = json instanceof ExactNumber ? json.text.slice(0, 40) : kindOf(json);
    return new ValueError('wrong', `must be ${expected}, not ${found}`);
  }
  const value = Number(json.text);
  if (value < least || (typeof maximum === 'number' && value > maximum)) {
    return new ValueError('outside', `must be ${expected}, not ${json.text.slice(0, 40)}`);
  }
  if (Number.isSafeInteger(value)) return value;
  return reader?.saturates === true
    ? Number.MAX_SAFE_INTEGER
    : new ValueError('outside', `must be ${expected}, not ${json.text.slice(0, 40)}`);
}

function listOf(
  { reader, items, minItems, maxItems }: Schema,
  json: Json,
): readonly unknown[] | ValueError | ValueErrors {
  if (!isList(json)) return typeError('a list', json);
  if (json.length === 0 && typeof minItems === 'number') return new ValueError('empty', 'is empty');
  if (typeof maxItems === 'number' && json.length > maxItems) {
    return new ValueError('long', `has ${json.length} items, more than ${maxItems}`);
  }
  const item = items as Schema;
  if (item.reader?.kind === 'unread') return json;
  const faults: ValueError[] = [];
  const values = json.map((one, index) => {
    const value = readAs(item, one);
    if (value instanceof ValueError) faults.push(new ValueError('wrong', `${value.text} at [${index}]`));
    return value;
  });
  if (faults.length > 0) return new ValueErrors(faults);
  return reader?.distinct === true ? [...new Set(values)] : values;
}
