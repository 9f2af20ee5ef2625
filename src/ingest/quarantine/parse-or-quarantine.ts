/**
 * Parses lines, and keeps those that cannot be inserted as entities of a quarantine: one insert has both. A line that a parse
 * refuses is blanked out, and the rest is parsed again; after ONE_BY_ONE_FROM refusals each line is tried alone.
 * Invariant: each line that is not blank becomes an entity or is kept, or nothing of the part is inserted.
 */
import { type ErrorCode, invariant } from '../../base/index.js';
import { DEFAULT_DIMENSION } from '../../schema/index.js';
import { type LineNumbers, parseLines } from '../lines.js';
import type { ParseContext, ParsedInsert, ParseOutcome } from '../parse.js';
import { eachLine, LINE_BREAK } from '../plain/rewrite-lines.js';
import type { RecordMapping } from '../records/mapping.js';
import { parseRecords, QUOTED_BREAK } from '../records/parse-records.js';
import type { IngestScratch } from '../scratch.js';
import { DIMENSION } from '../tables.js';
import { quarantineOf, withQuarantine } from './quarantine-model.js';
import {
  type QuarantineLine,
  type QuarantineSettings,
  quarantineLine,
  type RefusedLine,
} from './refused-line.js';

const ONE_BY_ONE_FROM = 8;
/** Refusals of lines that are valid alone, such as those of types that do not go together. */
const ROUNDS_MAX = 256;
const SPACE = 0x20;

/** Errors of a line itself. All others are of the request, the key or the model. */
const OF_LINES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...([1503, 2001, 2002, 2003, 2004, 2005, 2006, 2007, 2008, 2009, 2010, 2011] as const),
  ...([2014, 2015, 2016, 2017, 2018, 2020, 2022, 5008] as const),
]);

/** Whether an error is of a line, and not of the request, the key or the model. */
export const isLineError = (code: ErrorCode): boolean => OF_LINES.has(code);

/** The lines of a part that are kept instead of inserted. */
export interface Quarantined {
  readonly lineCount: number;
  /** Values of the entities that keep them. */
  readonly valueCount: number;
  /** The names of the quarantines. */
  readonly dimensions: readonly string[];
  readonly first: { readonly code: ErrorCode; readonly message: string };
  /** By code. */
  readonly codes: readonly (readonly [ErrorCode, number])[];
}

export type QuarantineOutcome =
  | ParseOutcome
  | (Extract<ParseOutcome, { readonly parsed: unknown }> & { readonly quarantined: Quarantined });

export interface QuarantineRequest {
  readonly text: Uint8Array;
  readonly numbers: LineNumbers;
  /** null = the lines are entities. */
  readonly mapping: RecordMapping | null;
  readonly settings: QuarantineSettings;
}

/** Like parseLines and parseRecords, with `repeatsIds`. */
export function parseOrQuarantine(
  request: QuarantineRequest,
  context: ParseContext,
  scratch: IngestScratch,
): QuarantineOutcome {
  return new QuarantineParse(request, { ...context, repeatsIds: true }, scratch).run();
}

class QuarantineParse {
  readonly #request: QuarantineRequest;
  readonly #context: ParseContext;
  readonly #scratch: IngestScratch;
  /** The text, in which refused lines are blanked out. */
  readonly #text: Uint8Array;
  readonly #refused: RefusedLine[] = [];

  constructor(request: QuarantineRequest, context: ParseContext, scratch: IngestScratch) {
    this.#request = request;
    this.#context = context;
    this.#scratch = scratch;
    this.#text = new Uint8Array(request.text);
  }

  run(): QuarantineOutcome {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const outcome = this.#parse(this.#text, this.#request.numbers, this.#context, '');
      if (!('error' in outcome)) return this.#refused.length === 0 ? outcome : this.#keep();
      const line = lineOf(outcome.error.moreInfo);
      if (line === null || !this.#isOfLine(outcome.error.code)) return outcome;
      if (!this.#refuse(line, outcome.error)) return outcome;
      if (this.#refused.length === ONE_BY_ONE_FROM) this.#tryOneByOne();
    }
    return { error: this.#refused[0].error };
  }

  #parse(text: Uint8Array, numbers: LineNumbers, context: ParseContext, more: string): ParseOutcome {
    const { mapping } = this.#request;
    const lines = { ...numbers, more };
    return mapping === null
      ? parseLines(text, lines, context, this.#scratch)
      : parseRecords(text, lines, mapping, context, this.#scratch);
  }

  /** A dimension that does not exist is an error of a line only if the line names it. */
  #isOfLine(code: ErrorCode): boolean {
    return OF_LINES.has(code) && (code !== 5008 || this.#request.mapping === null);
  }

  /** Blanks out line `number`; false = it is the head or no line. */
  #refuse(number: number, error: RefusedLine['error']): boolean {
    const { first } = this.#request.numbers;
    let line = first;
    let at = this.#headEnd;
    for (; line < number && at < this.#text.length; line++) at = this.#lineEnd(at) + 1;
    if (number < first || at >= this.#text.length) return false;
    const end = this.#lineEnd(at);
    this.#refused.push({ bytes: this.#sent(at, end), lineNumber: number, error });
    this.#text.fill(SPACE, at, end);
    return true;
  }

  /** The bytes of a line as they were sent. */
  #sent(at: number, end: number): Uint8Array {
    const bytes = this.#text.slice(at, end);
    if (this.#request.mapping?.format !== 'csv') return bytes;
    return bytes.map((byte) => (byte === QUOTED_BREAK ? LINE_BREAK : byte));
  }

  get #headEnd(): number {
    return this.#request.numbers.head === 0 ? 0 : this.#lineEnd(0) + 1;
  }

  #lineEnd(from: number): number {
    const found = this.#text.indexOf(LINE_BREAK, from);
    return found === -1 ? this.#text.length : found;
  }

  /** Refuses every line that is refused alone. */
  #tryOneByOne(): void {
    const { first, head } = this.#request.numbers;
    const headEnd = this.#headEnd;
    let line = first;
    let at = headEnd;
    eachLine(this.#text, headEnd, this.#text.length, (start, end) => {
      for (; at < start; at++) if (this.#text[at] === LINE_BREAK) line++;
      const alone = Buffer.concat([this.#text.subarray(0, headEnd), this.#text.subarray(start, end)]);
      const outcome = this.#parse(new Uint8Array(alone), { head, first: line }, this.#context, '');
      const isRefused = 'error' in outcome && this.#isOfLine(outcome.error.code);
      if (isRefused && lineOf(outcome.error.moreInfo) === line) this.#refuse(line, outcome.error);
      return true;
    });
  }

  /** Parses the lines that remain together with the entities that keep the others. */
  #keep(): QuarantineOutcome {
    const { settings, numbers } = this.#request;
    const { nowMs } = this.#context;
    const header = numbers.head === 0 ? '' : new TextDecoder().decode(this.#text.slice(0, this.#headEnd - 1));
    const dimensions = new Map<string, string>();
    const lines = this.#refused.map((refused) => {
      const dimension = this.#dimensionOf(refused.bytes);
      const name = quarantineOf(dimension);
      dimensions.set(name, dimension);
      return quarantineLine(refused, name, header, nowMs, settings);
    });
    const extended = this.#extended([...dimensions.values()]);
    if ('error' in extended) return extended;
    const { context, createdDimensions, createdColumns } = extended;
    const outcome = this.#parse(this.#text, numbers, context, lines.map(({ text }) => text).join('\n'));
    if ('error' in outcome) return outcome;
    const { parsed } = outcome;
    return {
      parsed: {
        ...parsed,
        createdDimensions: [...createdDimensions, ...parsed.createdDimensions],
        createdColumns: [...createdColumns, ...parsed.createdColumns],
      },
      quarantined: this.#described(lines, [...dimensions.keys()]),
    };
  }

  /** The context whose model has all quarantines, whose columns every key may write. */
  #extended(
    dimensions: readonly string[],
  ):
    | { context: ParseContext; createdDimensions: CreatedDimensions; createdColumns: CreatedColumns }
    | Extract<ParseOutcome, { readonly error: unknown }> {
    let { model, columnIds } = this.#context;
    const createdDimensions: CreatedDimensions[number][] = [];
    const createdColumns: CreatedColumns[number][] = [];
    for (const dimension of dimensions) {
      const made = withQuarantine(model, dimension);
      if ('error' in made) return made;
      model = made.model;
      if (columnIds !== null) columnIds = [...columnIds, ...made.columnIds];
      createdDimensions.push(...made.createdDimensions);
      createdColumns.push(...made.createdColumns);
    }
    return { context: { ...this.#context, model, columnIds }, createdDimensions, createdColumns };
  }

  /** The dimension that a line names, if it does and the dimension exists. */
  #dimensionOf(line: Uint8Array): string {
    const { mapping } = this.#request;
    if (mapping !== null) return mapping.dimension ?? DEFAULT_DIMENSION;
    try {
      const named = (JSON.parse(new TextDecoder().decode(line)) as Record<string, unknown> | null)?.[
        DIMENSION
      ];
      if (typeof named === 'string' && this.#context.model.dimensions.has(named)) return named;
    } catch {
      // The line is not JSON.
    }
    return DEFAULT_DIMENSION;
  }

  #described(lines: readonly QuarantineLine[], dimensions: readonly string[]): Quarantined {
    const codes = new Map<ErrorCode, number>();
    for (const { error } of this.#refused) codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
    const [first] = [...this.#refused].sort((a, b) => a.lineNumber - b.lineNumber);
    invariant(first !== undefined, 'no line is kept');
    return {
      lineCount: lines.length,
      valueCount: lines.reduce((sum, line) => sum + line.valueCount, 0),
      dimensions,
      first: { code: first.error.code, message: first.error.message },
      codes: [...codes],
    };
  }
}

type CreatedDimensions = ParsedInsert['createdDimensions'];
type CreatedColumns = ParsedInsert['createdColumns'];

const lineOf = (moreInfo: unknown): number | null =>
  (moreInfo as { readonly line?: number } | undefined)?.line ?? null;
