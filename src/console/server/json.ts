/** Reads JSON without loss of digits: of numbers that a double cannot hold, integers become bigints and fractions remain text. */

export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

const exact: Reviver = (_key, value, context) => {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) ? value : BigInt(source);
  return keepsDigits(value, source) ? value : source;
};

/** Number of digits that a double always keeps. */
const EXACT_DIGITS = 15;

/** Whether a double represents the number: true for `1500.0` and `1e3`, false for twenty decimals. */
const keepsDigits = (value: number, source: string): boolean =>
  /e/i.test(source) ||
  String(value) === source.replace(/\.?0+$/, '') ||
  source.replace(/^[-0.]+|\./g, '').length <= EXACT_DIGITS;

/** Parses JSON. Throws SyntaxError if the text is not JSON. */
export const parseJson = (text: string): Json =>
  JSON.parse(text, exact as (key: string, value: unknown) => unknown) as Json;

export const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

export const isList = (json: Json | undefined): json is readonly Json[] => Array.isArray(json);
