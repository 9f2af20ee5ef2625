/**
 * Reads scripts in the format of sqllogictest, the tests of SQLite: records separated by empty lines.
 *
 *   statement ok|error                  query TYPES [SORT] [LABEL]      TYPES has one letter per column: I, R or T
 *   SQL                                 SQL                             SORT is nosort, rowsort or valuesort
 *                                       ----
 *                                       values, one per line, or: N values hashing to MD5
 *   skipif NAME, onlyif NAME            before a record: engines that do not run it, or the only one that does
 *   hash-threshold N                    longer results are written as a hash
 *   halt                                ends the script
 *
 * A line that begins with # is a comment.
 */

export type SortMode = 'nosort' | 'rowsort' | 'valuesort';

/** The values of a result as lines, or their number and hash. */
export type Expected = readonly string[] | { readonly count: number; readonly md5: string };

interface Conditional {
  readonly line: number;
  /** Engines that do not run the record. */
  readonly skippedBy: readonly string[];
  /** If not empty, the only engines that run the record. */
  readonly onlyFor: readonly string[];
}

export interface StatementRecord extends Conditional {
  readonly is: 'statement';
  readonly isError: boolean;
  readonly sql: string;
}

export interface QueryRecord extends Conditional {
  readonly is: 'query';
  readonly types: string;
  readonly sort: SortMode;
  /** Results with equal labels are equal; null = none. */
  readonly label: string | null;
  readonly sql: string;
  readonly expected: Expected;
}

export type ScriptRecord = StatementRecord | QueryRecord | (Conditional & { readonly is: 'halt' });

const SORTS: readonly string[] = ['nosort', 'rowsort', 'valuesort'];
const HASHED = /^(\d+) values hashing to ([0-9a-f]{32})$/;

/** Throws with the line of the first record that cannot be read. */
export function readScript(text: string): readonly ScriptRecord[] {
  const lines = text.split(/\r?\n/);
  const records: ScriptRecord[] = [];
  for (let at = 0; at < lines.length; ) {
    if (lines[at] === '' || lines[at].startsWith('#')) {
      at++;
      continue;
    }
    let end = at;
    while (end < lines.length && lines[end] !== '') end++;
    const record = recordOf(lines.slice(at, end), at + 1);
    if (record !== null) records.push(record);
    at = end;
  }
  return records;
}

function recordOf(lines: readonly string[], line: number): ScriptRecord | null {
  const skippedBy: string[] = [];
  const onlyFor: string[] = [];
  const heads = lines.filter((text) => !text.startsWith('#'));
  let at = 0;
  for (; /^(skipif|onlyif)\s/.test(heads[at] ?? ''); at++) {
    const [word, name] = heads[at].split(/\s+/);
    (word === 'skipif' ? skippedBy : onlyFor).push(name);
  }
  const conditional = { line, skippedBy, onlyFor };
  const [kind, ...words] = (heads[at] ?? '').trim().split(/\s+/);
  const body = heads.slice(at + 1);
  switch (kind) {
    case 'statement':
      if (words[0] !== 'ok' && words[0] !== 'error')
        throw unreadable(line, 'statement ok or statement error');
      return { is: 'statement', ...conditional, isError: words[0] === 'error', sql: body.join('\n') };
    case 'query':
      return queryOf(words, body, conditional);
    case 'halt':
      return { is: 'halt', ...conditional };
    case 'hash-threshold':
      return null;
    default:
      throw unreadable(line, 'statement, query, hash-threshold or halt');
  }
}

function queryOf(words: readonly string[], body: readonly string[], conditional: Conditional): QueryRecord {
  const [types = '', ...rest] = words;
  if (!/^[IRT]+$/.test(types)) throw unreadable(conditional.line, 'types of columns: I, R or T each');
  const sort = SORTS.includes(rest[0]) ? (rest.shift() as SortMode) : 'nosort';
  const separator = body.indexOf('----');
  if (separator === -1) throw unreadable(conditional.line, '---- between the query and its values');
  const values = body.slice(separator + 1);
  const hashed = values.length === 1 ? HASHED.exec(values[0]) : null;
  const expected = hashed === null ? values : { count: Number(hashed[1]), md5: hashed[2] };
  const sql = body.slice(0, separator).join('\n');
  return { is: 'query', ...conditional, types, sort, label: rest[0] ?? null, sql, expected };
}

const unreadable = (line: number, wanted: string): Error => new Error(`line ${line}: expected ${wanted}`);

/** The text of records, which `readScript` reads. */
export function scriptText(records: readonly ScriptRecord[]): string {
  return `${records.map(recordText).join('\n\n')}\n`;
}

function recordText(record: ScriptRecord): string {
  const conditions = [
    ...record.skippedBy.map((name) => `skipif ${name}\n`),
    ...record.onlyFor.map((name) => `onlyif ${name}\n`),
  ].join('');
  if (record.is === 'halt') return `${conditions}halt`;
  if (record.is === 'statement') {
    return `${conditions}statement ${record.isError ? 'error' : 'ok'}\n${record.sql}`;
  }
  const { types, sort, label, sql, expected } = record;
  const values = 'md5' in expected ? [`${expected.count} values hashing to ${expected.md5}`] : expected;
  const head = ['query', types, sort, ...(label === null ? [] : [label])].join(' ');
  return `${conditions}${[head, sql, '----', ...values].join('\n')}`;
}
