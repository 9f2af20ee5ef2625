/**
 * Schemas of the JSON interface as plain data: JSON Schema keywords for the OpenAPI document, and `reader` (kind and error
 * codes), which only the reader of requests uses.
 * A schema has two types: the type that a client sends or receives (`Infer`), and the type that the reader returns (`Read`).
 * Invariant: nothing here or in the other files of this folder imports code of the server, so that the client, the console
 * and a browser may import it.
 */
import type { ErrorCode } from '../base/errors.js';

declare const SENT: unique symbol;
declare const READ: unique symbol;

export interface Schema<Sent = unknown, Read = unknown> {
  /** For the type checker only: no schema has these members at run time. */
  readonly [SENT]?: Sent;
  readonly [READ]?: Read;
  /** Name of the component in the OpenAPI document; without a name the schema is written where it is used. */
  readonly component?: string;
  /** The field may be left out. */
  readonly optional?: boolean;
  /** The schema to which this one adds a description or null. */
  readonly of?: Schema;
  readonly reader?: Reader;
  readonly [keyword: string]: unknown;
}

/** The type that a client sends or receives. */
export type Infer<S> = S extends Schema<infer Sent, infer _> ? Sent : never;

/** Marks a field for which the reader returns the JSON value, because the server binds it against the model. */
export interface Unread {
  readonly unread: true;
}

/** The error codes of a field. `wrong` is the default of the others, except for `missing` and `null`. */
export interface Codes {
  readonly wrong?: ErrorCode;
  readonly missing?: ErrorCode;
  /** The field is null but must not be; the default is the code of a missing field. */
  readonly null?: ErrorCode;
  /** The value has the wrong JSON type. */
  readonly type?: ErrorCode;
  /** The text contains characters that are not allowed. */
  readonly form?: ErrorCode;
  readonly empty?: ErrorCode;
  readonly long?: ErrorCode;
  /** The integer is out of range. */
  readonly outside?: ErrorCode;
}

/** The default error codes of an object's fields. */
export interface BodyCodes {
  /** Unknown fields, and all errors of fields. */
  readonly wrong: ErrorCode;
  readonly missing: ErrorCode;
  /** The value is not an object. */
  readonly type: ErrorCode;
}

/** A pattern that a text must match, and the end of the message about a text that does not. */
export interface Form {
  readonly pattern: RegExp;
  readonly message: string;
}

export interface Reader {
  readonly kind: 'text' | 'choice' | 'flag' | 'integer' | 'list' | 'body' | 'unread';
  readonly codes?: Codes;
  /** The patterns of a text, in the order in which they are checked. */
  readonly forms?: readonly Form[];
  /** The content of the field, for messages: "a dimension's api-name". */
  readonly noun?: string;
  /** An integer above 2^53 - 1 is read as 2^53 - 1. */
  readonly saturates?: boolean;
  /** The reader removes repeated items of a list. */
  readonly distinct?: boolean;
}

type Keywords = Readonly<Record<string, unknown>>;
type Sent<S> = Infer<S>;
type Read<S> = S extends Schema<infer _, infer R> ? R : never;

export type { Read };

/** A text. Lengths are in code points. */
export function text(
  description: string,
  { codes, forms, noun, ...keywords }: Pick<Reader, 'codes' | 'forms' | 'noun'> & Keywords = {},
): Schema<string, string> {
  return {
    type: 'string',
    description,
    ...keywords,
    ...patternsOf(forms ?? []),
    reader: { kind: 'text', codes, forms, noun },
  };
}

function patternsOf(forms: readonly Form[]): Keywords {
  const patterns = forms.map(({ pattern }) => ({ pattern: pattern.source }));
  return patterns.length > 1 ? { allOf: patterns } : (patterns[0] ?? {});
}

export function choice<const Choice extends string>(
  choices: readonly Choice[],
  description: string,
  codes?: Codes,
): Schema<Choice, Choice> {
  return { type: 'string', enum: choices, description, reader: { kind: 'choice', codes } };
}

export function flag(description: string, codes?: Codes): Schema<boolean, boolean> {
  return { type: 'boolean', description, reader: { kind: 'flag', codes } };
}

/** An integer from `minimum` to `maximum`, without a fraction or an exponent. */
export function integer(
  description: string,
  minimum: number,
  maximum?: number,
  more: Pick<Reader, 'codes' | 'saturates'> = {},
): Schema<number, number> {
  const most = maximum === undefined ? {} : { maximum };
  return { type: 'integer', minimum, ...most, description, reader: { kind: 'integer', ...more } };
}

/** A count in an answer. */
export const count = (description: string): Schema<number, number> => integer(description, 0);

export function list<Item, ItemRead>(
  items: Schema<Item, ItemRead>,
  description: string,
  { codes, distinct, ...keywords }: Pick<Reader, 'codes' | 'distinct'> & Keywords = {},
): Schema<readonly Item[], readonly ItemRead[]> {
  return { type: 'array', items, description, ...keywords, reader: { kind: 'list', codes, distinct } };
}

/** An object whose member names the client chooses. */
export function map<Value>(
  values: Schema<Value>,
  description: string,
  keywords: Keywords = {},
): Schema<Readonly<Record<string, Value>>, Unread> {
  return { type: 'object', additionalProperties: values, description, ...keywords, ...UNREAD };
}

export function union<const Choices extends readonly Schema[]>(
  description: string,
  ...choices: Choices
): Schema<Sent<Choices[number]>, Unread> {
  return { description, anyOf: choices, ...UNREAD };
}

const UNREAD = { reader: { kind: 'unread' } } as const;

/** A schema of plain JSON Schema keywords; the caller gives its type. */
export const plain = <Type = unknown>(keywords: Keywords): Schema<Type, Unread> => ({
  ...keywords,
  ...UNREAD,
});

export const anyText = plain<string>({ type: 'string' });

export const constant = <const Value extends string>(value: Value): Schema<Value, Unread> =>
  plain<Value>({ const: value });

/** A reference to a component by name, for schemas that contain themselves or a schema that is declared later. */
export const later = <Type>(component: string): Schema<Type, Unread> =>
  plain<Type>({ $ref: `#/components/schemas/${component}` });

/** The schema as a component of the OpenAPI document. */
export const named = <S extends Schema>(component: string, schema: S): S => ({ ...schema, component });

/** The schema with another description. */
export const described = <S, R>(schema: Schema<S, R>, description: string): Schema<S, R> => ({
  of: schema,
  description,
  reader: schema.reader,
});

export interface Optional {
  readonly optional: true;
}

type UnreadOf<S> = Schema<Infer<S>, Unread> & (S extends Optional ? Optional : unknown);

/** The schema, unread: code binds the value against the model. `codes` are the error codes of a missing field. */
export const unread = <S extends Schema>(schema: S, codes?: Codes): UnreadOf<S> =>
  ({ ...schema, reader: { kind: 'unread', codes } }) as unknown as UnreadOf<S>;

/** The field may be absent, but not null. */
export const optional = <S extends Schema>(schema: S): S & Optional => ({ ...schema, optional: true });

/** The field may be absent or null, which means the same. */
export function orNull<S, R>(schema: Schema<S, R>): Schema<S | null, R> & Optional {
  return { ...jsonOrNull(schema), of: schema, reader: schema.reader, optional: true };
}

function jsonOrNull(schema: Schema): Keywords {
  const { type, enum: choices, description, component, of, reader, optional: _, ...rest } = schema;
  if (typeof type !== 'string' || component !== undefined || of !== undefined) {
    return { description, anyOf: [{ type: 'null' }, schema] };
  }
  const alsoNull = Array.isArray(choices) ? { enum: [...choices, null] } : {};
  return { type: [type, 'null'], description, ...rest, ...alsoNull };
}

export type Fields = Readonly<Record<string, Schema>>;
type Simplify<T> = { readonly [Key in keyof T]: T[Key] };
type Required<F> = { readonly [Name in keyof F as F[Name] extends Optional ? never : Name]: Sent<F[Name]> };
type Left<F> = { readonly [Name in keyof F as F[Name] extends Optional ? Name : never]?: Sent<F[Name]> };
export type ObjectOf<F> = Simplify<Required<F> & Left<F>>;
/** The type that the reader returns for an object; absent fields are undefined. */
export type ReadFields<F> = {
  readonly [Name in keyof F]: F[Name] extends Optional ? Read<F[Name]> | undefined : Read<F[Name]>;
};

export interface ObjectSchema<F extends Fields = Fields, Type = ObjectOf<F>> extends Schema<Type, Unread> {
  readonly properties: F;
}

/** An object of a request with only these fields. */
export interface Body<F extends Fields = Fields, Type = ObjectOf<F>> extends ObjectSchema<F, Type> {
  readonly codes: BodyCodes;
}

export function body<const F extends Fields>(codes: BodyCodes, fields: F, keywords: Keywords = {}): Body<F> {
  return { ...object(fields, keywords), codes, reader: { kind: 'body' } };
}

/** An object of an answer with only these members. */
export function object<const F extends Fields>(fields: F, keywords: Keywords = {}): ObjectSchema<F> {
  const required = Object.keys(fields).filter((name) => fields[name].optional !== true);
  return {
    type: 'object',
    properties: fields,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...keywords,
    ...UNREAD,
  };
}

/** The whole answer to a request that succeeded; `Infer` gives its members without `status` and `took`. */
export function success<const F extends Fields>(members: F, keywords: Keywords = {}): ObjectSchema<F> {
  const whole = {
    status: constant('success'),
    ...members,
    took: plain<number>({ type: 'number', minimum: 0, description: 'Seconds that the request took.' }),
  };
  return object(whole, keywords) as unknown as ObjectSchema<F>;
}

/** One value of the schema, or a list of them. */
export function oneOrSeveral<S, R>(
  one: Schema<S, R>,
  description: string,
  listed: string,
  maxItems: number,
): Schema<S | readonly S[], Unread> {
  return union(description, one, list(one, listed, { minItems: 1, maxItems }));
}
