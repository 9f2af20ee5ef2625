/** The scaling line: the same questions and loads while the data grows, with one worker and with several. */
import type { Bench } from '../bench.js';
import { percentile } from '../load/load.js';
import { QUESTIONS, VARIANT_COUNT } from '../questions.js';
import type { QuarryServer } from '../server/quarry.js';
import type { Table, TableCell } from '../table.js';
import { answersOf, checkAnswers, type Grown, type Step, timeQuestion } from './store.js';

/** Median over the variants of the p50 of each question. Checks every answer first. */
export async function scalingRow(
  bench: Bench,
  server: QuarryServer,
  workers: number,
  { expected }: Step,
  grown: Grown,
): Promise<TableCell[]> {
  await checkAnswers(bench, answersOf(server), expected);
  const cells: TableCell[] = [
    `${workers} workers, ${expected.entityCount.toLocaleString('en-US')} entities`,
    grown.entitiesPerSecond,
    grown.cpuSecondsPerMillion,
  ];
  for (const question of QUESTIONS) {
    const p50s: number[] = [];
    for (let variant = 0; variant < VARIANT_COUNT; variant++) {
      p50s.push((await timeQuestion(bench, server, question, variant, expected)).p50Ms);
    }
    cells.push(percentile(Float64Array.from(p50s).sort(), 0.5));
  }
  return cells;
}

export function scalingTable(rows: readonly (readonly TableCell[])[]): Table {
  return {
    line: 'scaling',
    title: 'Scaling: a store that grows over HTTP; p50 in milliseconds of counts over HTTPS',
    columns: ['', 'entities/s of the step', 'CPU s per million', ...QUESTIONS.map(({ name }) => name)],
    rows,
    notes: ['entities with 8 attributes and 3 events on average, about 312 bytes of JSON each'],
  };
}
