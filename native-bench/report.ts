/** The report of a run as data. */
import type { Comparison } from './comparison.js';
import type { Machine } from './machine.js';
import type { Table } from './table.js';

export interface Report {
  readonly scale: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** Number of checked answers; one wrong answer ends a run without a report. */
  readonly answersChecked: number;
  readonly tables: readonly Table[];
  /** Tables of the lines that ran, in order. */
  readonly comparisons: readonly Comparison[];
}
