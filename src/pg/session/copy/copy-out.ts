/**
 * The answer of COPY ... TO STDOUT: CopyOutResponse, one CopyData per row, CopyDone.
 * Binary: signature, i32 flags, i32 length of the extension, then per row i16 count and the values as in DataRow, then i16 -1.
 */
import { rowsInFormats } from '../../protocol/binary.js';
import { BINARY, copyData, copyDone, copyResponse, fieldsIn, messagesIn } from '../../protocol/messages.js';
import { type Answer, done } from '../answer.js';
import type { CopyOptions } from './copy-statement.js';

const BINARY_HEAD = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const BINARY_END = Buffer.from([0xff, 0xff]);
/** Offset of the values in a DataRow. */
const VALUES_AT = 7;

/** `answer` is that of the query, with rows in text format. */
export function answerCopyTo(answer: Answer, options: CopyOptions): Answer {
  const fields = fieldsIn(answer.description ?? Buffer.from('T\0\0\0\x06\0\0'));
  let rowCount = 0;
  const isBinary = options.format === 'binary';
  const rows = async function* (): AsyncGenerator<Buffer, void, void> {
    yield copyResponse('H', isBinary ? BINARY : 0, fields.length);
    if (isBinary) yield copyData(BINARY_HEAD);
    if (options.header)
      yield copyData(
        line(
          fields.map(({ name }) => Buffer.from(name)),
          options,
        ),
      );
    const typeIds = fields.map(({ typeId }) => typeId);
    const formats = fields.map(() => BINARY);
    for (;;) {
      const { done: isDone, value } = await answer.rows.next();
      if (isDone === true) break;
      const parts: Buffer[] = [];
      for (const row of messagesIn(isBinary ? rowsInFormats(value, typeIds, formats) : value)) {
        rowCount++;
        parts.push(copyData(isBinary ? row.subarray(VALUES_AT - 2) : line(valuesIn(row), options)));
      }
      yield Buffer.concat(parts);
    }
    if (isBinary) yield copyData(BINARY_END);
    yield copyDone();
  };
  const written = rows();
  return {
    ...done('COPY'),
    rows: {
      next: () => written.next(),
      async return() {
        await answer.rows.return?.();
        return { done: true, value: undefined };
      },
    },
    tag: () => `COPY ${rowCount}`,
    over: (error) => answer.over(error, rowCount),
  };
}

function valuesIn(row: Buffer): (Buffer | null)[] {
  const values: (Buffer | null)[] = [];
  for (let at = VALUES_AT; at < row.length; ) {
    const length = row.readInt32BE(at);
    values.push(length < 0 ? null : row.subarray(at + 4, at + 4 + length));
    at += 4 + Math.max(0, length);
  }
  return values;
}

function line(values: readonly (Buffer | null)[], options: CopyOptions): Buffer {
  const write = options.format === 'csv' ? csvValue : textValue;
  const single = values.length === 1;
  return Buffer.from(`${values.map((value) => write(value, options, single)).join(options.delimiter)}\n`);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

function textValue(value: Buffer | null, { delimiter, missing }: CopyOptions): string {
  if (value === null) return missing;
  const escaped = value.toString('utf8').replace(/[\\\b\f\n\r\t\v]/g, (one) => ESCAPES.get(one) ?? one);
  return delimiter === '\t' ? escaped : escaped.replaceAll(delimiter, `\\${delimiter}`);
}

/** Quoted where the text could be read as something else: as NULL, as several values, or as the end of the data. */
function csvValue(
  value: Buffer | null,
  { delimiter, missing, quote, escapeSign }: CopyOptions,
  single: boolean,
): string {
  if (value === null) return missing;
  const text = value.toString('utf8');
  const isPlain =
    text !== missing &&
    !text.includes(delimiter) &&
    !text.includes(quote) &&
    !/[\r\n]/.test(text) &&
    !(single && text === '\\.');
  if (isPlain) return text;
  const inside = escapeSign === quote ? text : text.replaceAll(escapeSign, escapeSign + escapeSign);
  return `${quote}${inside.replaceAll(quote, escapeSign + quote)}${quote}`;
}
