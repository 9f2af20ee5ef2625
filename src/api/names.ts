/**
 * The rules of names and api-names, for dimensions and columns alike; only the codes differ.
 * An api-name is 1 to 64 of a-z, 0-9 and dash; a name is 1 to 64 printable ASCII characters without quotes,
 * not all of them blank.
 */
import { type ErrorCode, NAME_CHARS_MAX, QuarryError, quoted } from '../base/index.js';

export interface NameCodes {
  readonly invalid: ErrorCode;
  readonly tooLong: ErrorCode;
}

export const COLUMN_NAME: NameCodes = { invalid: 3008, tooLong: 3014 };
export const COLUMN_API_NAME: NameCodes = { invalid: 3007, tooLong: 3015 };
export const DIMENSION_NAME: NameCodes = { invalid: 5001, tooLong: 5003 };
export const DIMENSION_API_NAME: NameCodes = { invalid: 5000, tooLong: 5004 };

export const NAME_FORM = /^(?! *$)[ !#-&(-~]+$/;
export const API_NAME_FORM = /^[a-z0-9-]+$/;

function checked(text: string, pattern: RegExp, codes: NameCodes, what: string): string {
  if (text.length > NAME_CHARS_MAX && pattern.test(text)) {
    throw new QuarryError(
      codes.tooLong,
      `${what} ${quoted(text)} is longer than ${NAME_CHARS_MAX} characters`,
    );
  }
  if (!pattern.test(text))
    throw new QuarryError(codes.invalid, `${what} ${quoted(text)} has invalid characters or is blank`);
  return text;
}

export function checkName(text: string, codes: NameCodes): string {
  return checked(text, NAME_FORM, codes, 'name');
}

export function checkApiName(text: string, codes: NameCodes): string {
  return checked(text, API_NAME_FORM, codes, 'api-name');
}

/** The api-name made from a name: lower-case, all other characters dashes, repeated dashes one. */
export function apiNameFrom(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
