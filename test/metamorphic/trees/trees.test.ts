/**
 * Generated SELECTs of general form (tree-statements.ts), three levels deep, sent to whole servers and to DuckDB. The servers
 * have several layouts of shards, both kinds of kernels and sets of disabled rules, and the tables have a few rows with many
 * equal and missing values. A server gets several statements at the same time.
 *
 * A longer run: node dist/test/metamorphic/trees/trees.test.js --queries 500000 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { RULE_NAMES, type RuleName } from '../../../src/plan/index.js';
import { TreeLife } from './tree-life.js';
import { TreeStatements } from './tree-statements.js';

const { values: options } = parseArgs({
  options: {
    queries: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [QUERIES, SEED] = [Number(options.queries), Number(options.seed)];
t.comment(`seed ${SEED}, ${QUERIES} queries`);
t.setTimeout(120_000 + QUERIES * 100);

/** `share`: part of the statements. `rules`: which of them each batch of statements does without. */
const LAYOUTS = [
  { shards: 1, workers: 1, simd: true, rowsMax: 12, share: 0.25 },
  // The workers merge all groups.
  { shards: 2, workers: 2, simd: false, partitionGroupsMin: 1, rowsMax: 40, share: 0.15 },
  { shards: 7, workers: 2, simd: true, rowsMax: 25, share: 0.1 },
  { shards: 3, workers: 2, simd: true, exchange: 'bytes', rowsMax: 25, share: 0.1 },
  // Every operator that can spill its rows does.
  {
    shards: 2,
    workers: 2,
    simd: true,
    partitionGroupsMin: 1,
    spillShareBytesMax: 1,
    rowsMax: 40,
    share: 0.1,
  },
  { shards: 3, workers: 3, simd: true, exchange: 'bytes', partitionGroupsMin: 1, rowsMax: 25, share: 0.1 },
  { shards: 1, workers: 1, simd: true, rowsMax: 12, share: 0.1, rules: 'some' },
  { shards: 3, workers: 2, simd: true, rowsMax: 25, share: 0.1, rules: 'some' },
] as const;
/** Statements that a server gets at the same time. */
const TOGETHER = 4;
/** Statements that are optimized with the same rules. */
const BATCH = 20;
const SHOWN = 5;
/** DuckDB accepts at least this share of the statements. */
const TAKEN_MIN = 0.8;

/** The disabled rules of a batch: all, or one after the other. */
function withoutRules(batch: number): ReadonlySet<RuleName> {
  const at = batch % (RULE_NAMES.length + 1);
  return new Set(at === RULE_NAMES.length ? RULE_NAMES : [RULE_NAMES[at]]);
}

const isOrdered = (sql: string): boolean =>
  /ORDER BY 1 (ASC|DESC) NULLS LAST(, \d+ (ASC|DESC) NULLS LAST)*( LIMIT \d+)?$/.test(sql);

class Comparison {
  readonly wrong: string[] = [];
  refusedCount = 0;
  rowCount = 0;
  readonly #life: TreeLife;

  constructor(life: TreeLife) {
    this.#life = life;
  }

  /** Compares the answers to all statements, TOGETHER at a time. `said` goes before a difference. */
  async compare(statements: readonly string[], said: string): Promise<void> {
    let next = 0;
    const some = async (): Promise<void> => {
      while (next < statements.length) {
        const sql = statements[next++];
        const outcome = await this.#life.compare(sql, isOrdered(sql));
        if (outcome.is === 'equal') this.rowCount += outcome.rowCount;
        else if (outcome.is === 'different') this.wrong.push(`${said}${sql}\n  ${outcome.what}`);
        else this.refusedCount++;
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, some));
  }
}

for (const [index, { rowsMax, share, ...layout }] of LAYOUTS.entries()) {
  const { shards, workers } = layout;
  const spills = 'spillShareBytesMax' in layout ? ', with all rows spilled,' : '';
  const rules = 'rules' in layout ? ', without one rule or any,' : '';
  t.test(
    `on ${shards} shards and ${workers} workers${spills}${rules} every answer is that of DuckDB (${index})`,
    async (t) => {
      const prng = new Prng(SEED * 10 + index);
      let disabled: ReadonlySet<RuleName> = new Set();
      const life = await TreeLife.start(t, { ...layout, disabledRules: () => disabled }, TOGETHER);
      await life.load(prng, rowsMax);
      const statements = new TreeStatements(prng);
      const comparison = new Comparison(life);
      const batchCount = Math.ceil((QUERIES * share) / BATCH);
      for (let batch = 0; batch < batchCount; batch++) {
        if (rules !== '') disabled = withoutRules(batch);
        const said = disabled.size === 0 ? '' : `without ${[...disabled].join(', ')}: `;
        await comparison.compare(
          Array.from({ length: BATCH }, () => statements.any()),
          said,
        );
      }
      const count = batchCount * BATCH;
      const { wrong, refusedCount, rowCount } = comparison;
      t.strictSame(wrong.slice(0, SHOWN), [], `${wrong.length} of ${count} differ`);
      t.ok(refusedCount <= count * (1 - TAKEN_MIN), `DuckDB refuses ${refusedCount} of ${count}`);
      t.comment(`${count} queries, ${rowCount} rows`);
    },
  );
}
