/** Decides whether the rows of a text can be sent as columns: plain data, which a thread gets at its start. */
import { baseTypeOf } from '../../../schema/index.js';
import { freeName, type InsertPaths, insertPaths } from '../columns/column-plan.js';
import type { SourceText } from '../formats/row-block.js';
import type { Mapping, Target } from '../mapping/mapping.js';

export interface TextPlan extends InsertPaths {
  readonly mapping: Mapping;
  /** The columns of the file. */
  readonly names: readonly string[];
  /** That of CSV, one byte of ASCII; null = NDJSON. */
  readonly delimiter: string | null;
  /** By target, the field that has the dates of its events; null = it has none. */
  readonly dateFields: readonly (string | null)[];
  /** Prefix of IDs made of row numbers. */
  readonly rowName: string;
}

const TYPES: readonly string[] = ['string', 'integer', 'decimal', 'boolean', 'date', 'datetime'];

/** Lists, points, and events that contain their dates are sent as rows. */
function isTaken({ date, form: { type, storage } }: Target): boolean {
  const isEvent = type.endsWith('-event');
  return storage !== 'list-of-values' && isEvent === (date !== null) && TYPES.includes(baseTypeOf(type));
}

/** null = the rows are sent one by one. */
export function planText(
  mapping: Mapping,
  names: readonly string[],
  { delimiter }: Pick<SourceText, 'delimiter'>,
  rowName: string,
): TextPlan | null {
  const { dimension, dimensionAt, areLines, targets } = mapping;
  if (dimensionAt !== null || areLines || !targets.every(isTaken)) return null;
  if (delimiter !== null && delimiter.charCodeAt(0) > 0x7f) return null;
  const taken = new Set(targets.map(({ column }) => column));
  const dateFields = targets.map(({ date }) => (date === null ? null : freeName(taken)));
  const events = targets.flatMap(({ column }, index) => {
    const field = dateFields[index];
    return field === null ? [] : [[column, field] as const];
  });
  return { ...insertPaths(dimension, events), mapping, names, delimiter, dateFields, rowName };
}
