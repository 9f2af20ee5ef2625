/** A refused line as an entity of its quarantine. */
import { randomUUID } from 'node:crypto';
import type { WireError } from '../../base/index.js';
import { TEXT_POINTS_MAX } from '../../base/index.js';
import { formatDateTime } from '../../schema/index.js';
import { DIMENSION } from '../tables.js';

/** What all refused lines of one request have in common. */
export interface QuarantineSettings {
  /** The name of the key. */
  readonly source: string;
  readonly requestId: string;
  /** The query of the URL, by which the lines can be inserted again. */
  readonly parameters: string;
}

export interface RefusedLine {
  /** The bytes of the line, of which nothing is known. */
  readonly bytes: Uint8Array;
  readonly lineNumber: number;
  readonly error: WireError;
}

/** Before the base64 form of bytes that are not UTF-8. */
export const BASE64_MARK = 'base64:';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface QuarantineLine {
  /** The entity as a line of an insert body. */
  readonly text: string;
  /** The values that it has. */
  readonly valueCount: number;
}

/** `header`: the line with the names of CSV; empty = none. */
export function quarantineLine(
  { bytes, lineNumber, error }: RefusedLine,
  dimension: string,
  header: string,
  nowMs: number,
  { source, requestId, parameters }: QuarantineSettings,
): QuarantineLine {
  const values: Record<string, string | number | readonly string[]> = {
    line: pieces(textOf(bytes)),
    code: error.code,
    reason: error.message.slice(0, TEXT_POINTS_MAX),
    'line-number': lineNumber,
    received: formatDateTime(Math.floor(nowMs / 1000)),
    ...present('source', source.slice(0, TEXT_POINTS_MAX)),
    ...present('request', requestId.slice(0, TEXT_POINTS_MAX)),
    ...(parameters === '' ? {} : { parameters: pieces(parameters) }),
    ...(header === '' ? {} : { header: pieces(header) }),
  };
  return {
    text: JSON.stringify({ id: randomUUID(), [DIMENSION]: dimension, ...values }),
    valueCount: Object.values(values).flat().length,
  };
}

const present = (name: string, text: string): Record<string, string> => (text === '' ? {} : { [name]: text });

/** Bytes that are not UTF-8 are kept as base64, behind a mark. */
function textOf(bytes: Uint8Array): string {
  try {
    return strict.decode(new Uint8Array(bytes));
  } catch {
    return `${BASE64_MARK}${Buffer.from(bytes).toString('base64')}`;
  }
}

/** Pieces that values may have; no character is divided. */
export function pieces(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + TEXT_POINTS_MAX);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--;
    found.push(text.slice(at, end));
    at = end;
  }
  return found;
}
