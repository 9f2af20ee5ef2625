/**
 * FORMAT: %[position$][flags][width]type with the types s (text), I (name) and L (literal), as in PostgreSQL. NULL is an empty text
 * as %s, NULL as %L, and refused as %I.
 */
import { rememberLast } from '../../base/index.js';
import { codePointCount } from '../../schema/index.js';
import { expressionError, TEXT_CHARS_MAX, tooLongText } from '../error.js';
import { quotedLiteral, quotedName } from './text-edits.js';

interface Field {
  readonly type: 's' | 'I' | 'L';
  /** From 1; null = the next one. */
  readonly position: number | null;
  readonly atLeft: boolean;
  /** `star`: the width is an argument, by position or the next one. */
  readonly width:
    | { readonly is: 'count'; readonly count: number }
    | { readonly is: 'star'; position: number | null };
}

const FIELD = /%(?:(\d+)\$)?(-*)(?:(\d+)|\*(?:(\d+)\$)?)?([sIL])/y;

/** The literal texts and fields of a format. Throws 6000. */
function partsOf(format: string): readonly (string | Field)[] {
  const parts: (string | Field)[] = [];
  let from = 0;
  for (let at = format.indexOf('%'); at !== -1; at = format.indexOf('%', from)) {
    parts.push(format.slice(from, at));
    if (format[at + 1] === '%') {
      parts.push('%');
      from = at + 2;
      continue;
    }
    const field = new RegExp(FIELD, 'y');
    field.lastIndex = at;
    const match = field.exec(format);
    if (match === null) {
      throw expressionError(
        `FORMAT does not support the field at character ${codePointCount(format.slice(0, at)) + 1}; fields are %s, %I and %L, and %% is a percent sign`,
      );
    }
    parts.push(fieldOf(match));
    from = field.lastIndex;
  }
  parts.push(format.slice(from));
  return parts;
}

function fieldOf([whole, position, minus, width, starPosition, type]: RegExpExecArray): Field {
  const star = whole.includes('*');
  const at = (digits: string | undefined): number | null => {
    if (digits === undefined) return null;
    if (Number(digits) === 0) throw expressionError('FORMAT counts its arguments from 1');
    return Number(digits);
  };
  return {
    type: type as Field['type'],
    position: at(position),
    atLeft: minus !== '',
    width: star ? { is: 'star', position: at(starPosition) } : { is: 'count', count: Number(width ?? 0) },
  };
}

/** Returns FORMAT(format, value...); all values are texts or null. */
export function makeFormat(): (values: readonly (string | null)[]) => string | null {
  const parts = rememberLast(partsOf);
  return (values) => {
    const [format] = values;
    return format === null ? null : formatted(parts(format), values);
  };
}

function formatted(parts: readonly (string | Field)[], values: readonly (string | null)[]): string {
  let made = '';
  let next = 0;
  const argument = (position: number | null): string | null => {
    next = position ?? next + 1;
    if (next < values.length) return values[next];
    throw expressionError(`FORMAT has no argument ${next}: it was given ${values.length - 1}`);
  };
  for (const part of parts) {
    if (typeof part === 'string') made += part;
    else {
      const width = part.width.is === 'count' ? part.width.count : widthOf(argument(part.width.position));
      const text = written(part.type, argument(part.position));
      made += padded(text, Math.abs(width), part.atLeft || width < 0);
    }
    if (made.length > TEXT_CHARS_MAX) throw tooLongText();
  }
  return made;
}

function widthOf(text: string | null): number {
  if (text === null) return 0;
  if (!/^[+-]?\d{1,10}$/.test(text)) throw expressionError('a width of FORMAT must be a whole number');
  return Number(text);
}

function written(type: Field['type'], value: string | null): string {
  if (type === 's') return value ?? '';
  if (type === 'L') return value === null ? 'NULL' : quotedLiteral(value);
  if (value === null) throw expressionError('FORMAT cannot write NULL as a name (%I)');
  return quotedName(value);
}

function padded(text: string, width: number, atLeft: boolean): string {
  if (width === 0) return text;
  if (width > TEXT_CHARS_MAX) throw tooLongText();
  const blanks = ' '.repeat(Math.max(0, width - codePointCount(text)));
  return atLeft ? text + blanks : blanks + text;
}
