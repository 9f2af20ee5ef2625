/** Reads a CSV row that contains quotes (RFC 4180). */

export type QuotedRow =
  /** `end` is the offset after the row's line end; `emptyAt` are the fields that are empty quotes. */
  | { readonly fields: readonly string[]; readonly end: number; readonly emptyAt: readonly number[] }
  | { readonly wrong: string }
  /** The row may continue after the end of the text. */
  | { readonly unfinished: true };

const NONE: readonly number[] = [];

type Field = { readonly field: string; readonly end: number };

/** Reads the row at offset `at`. `last` means that no text follows `text`. */
export function readQuotedRow(text: string, at: number, delimiter: string, last: boolean): QuotedRow {
  const fields: string[] = [];
  let emptyAt: readonly number[] = NONE;
  for (let from = at; ; from++) {
    const read = text[from] === '"' ? inQuotes(text, from) : plain(text, from, delimiter);
    if (read === null) return last ? { wrong: 'a quote is never closed' } : { unfinished: true };
    if ('wrong' in read) return read;
    if (read.field === '' && text[from] === '"') emptyAt = [...emptyAt, fields.length];
    fields.push(read.field);
    from = text.startsWith('\r\n', read.end) ? read.end + 1 : read.end;
    if (from >= text.length) return last ? { fields, end: from, emptyAt } : { unfinished: true };
    if (text[from] === '\n') return { fields, end: from + 1, emptyAt };
    if (text[from] !== delimiter) return { wrong: 'a closing quote is followed by other text' };
  }
}

/** The field whose opening quote is at `at`, and the offset after its closing quote; null without a closing quote. */
function inQuotes(text: string, at: number): Field | null {
  let field = '';
  for (let from = at + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return null;
    field += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { field, end: quote + 1 };
    field += '"';
    from = quote + 2;
  }
}

function plain(text: string, at: number, delimiter: string): Field | { readonly wrong: string } {
  const newline = text.indexOf('\n', at);
  const lineEnd = newline < 0 ? text.length : newline;
  const next = text.indexOf(delimiter, at);
  const lineTextEnd = lineEnd > at && text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
  const end = next >= 0 && next < lineEnd ? next : lineTextEnd;
  const field = text.slice(at, end);
  return field.includes('"')
    ? { wrong: 'a field that does not begin with a quote contains one' }
    : { field, end };
}
