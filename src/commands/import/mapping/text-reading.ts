/** How texts of a file are read as numbers and dates: the sign before decimals, and formats of dates besides ISO 8601. */
import { formatDate, formatDateTime, makeReadTemplate, SECONDS_PER_DAY } from '../../../schema/index.js';
import { remembered } from '../formats/remembered.js';

export interface TextReading {
  readonly decimal: '.' | ',';
  /** Templates of TO_TIMESTAMP, tried in this order and before ISO 8601. */
  readonly dateFormats: readonly string[];
}

export const PLAIN_READING: TextReading = { decimal: '.', dateFormats: [] };

/** Digits in groups of three, with one sign between all groups, or without groups. */
const COMMA_NUMBER = /^([+-]?)(\d{1,3}(?:([.' \u00a0\u202f’])\d{3}(?:\3\d{3})*)|\d+)?(?:,(\d+))?$/;

/** The number with a decimal point and without signs between groups; null = it is no number with a decimal comma. */
export function pointed(text: string): string | null {
  const match = COMMA_NUMBER.exec(text);
  if (match === null || (match[2] === undefined && match[4] === undefined)) return null;
  const [, sign, whole = '0', , fraction] = match;
  return `${sign}${whole.replace(/\D/g, '')}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** The text of the number as the readers of numbers take it; null = it is none. */
export const numberIn = (text: string, { decimal }: TextReading): string | null =>
  decimal === ',' ? pointed(text) : text;

const HAS_TIME = /HH|MI|SS|AM|PM|TZ|OF/i;

export interface ReadDate {
  /** As a date column stores it; null = the format has a time. */
  readonly date: string | null;
  readonly dateTime: string;
}

/** Reads a text by the first format that fits; null = none does. */
export function dateReader(formats: readonly string[]): (text: string) => ReadDate | null {
  if (formats.length === 0) return () => null;
  const readers = formats.map((format) => ({
    format,
    read: makeReadTemplate(),
    hasTime: HAS_TIME.test(format),
  }));
  return remembered((text) => {
    for (const { format, read, hasTime } of readers) {
      const seconds = secondsOf(read, text, format);
      if (seconds === null) continue;
      const date = hasTime ? null : formatDate(Math.floor(seconds / SECONDS_PER_DAY));
      return { date, dateTime: formatDateTime(seconds) };
    }
    return null;
  });
}

function secondsOf(read: ReturnType<typeof makeReadTemplate>, text: string, format: string): number | null {
  try {
    return read(text, format);
  } catch {
    return null;
  }
}

/** Why a format cannot be used; null = it can. */
export function wrongFormat(format: string): string | null {
  try {
    makeReadTemplate()('', format);
    return null;
  } catch (error) {
    const { message } = error as Error;
    return message.includes('does not match the format') ? null : message;
  }
}
