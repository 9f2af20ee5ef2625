/**
 * npm run torture -- --rounds 50 --seed 1: many rounds of kill -9 under 8 writers; see rounds.ts and README.md.
 * --dir DIR keeps the store there (it must be empty), otherwise it lies in a temporary folder, which stays only when
 * something is wrong. Exit code 0: everything acknowledged was there and whole; 1: it was not; 2: wrong arguments.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isClean, runRounds } from './rounds.js';

function numberOf(text: string, name: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  process.stderr.write(`--${name}: a whole number is wanted, not ${JSON.stringify(text)}\n`);
  process.exit(2);
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    dir: { type: 'string' },
  },
});
const rounds = numberOf(values.rounds, 'rounds');
const seed = numberOf(values.seed, 'seed');
const dir = values.dir ?? fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-torture-'));
console.log(`${rounds} rounds, seed ${seed}, in ${dir}`);
const startedAt = performance.now();
const summary = await runRounds({ dir, rounds, seed, requestsMax: 400, report: (line) => console.log(line) });
for (const text of summary.texts) console.log(text);
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(
  `${summary.rounds} rounds, ${summary.killsWhileStarting} kills more while starting, ` +
    `${summary.checkpointsAsked} checkpoints asked for, ${summary.checks} counts compared, ${seconds} s`,
);
console.log(
  `${summary.acknowledged} requests acknowledged (${summary.entitiesAcknowledged} entities), ` +
    `${summary.refused} refused, ${summary.unanswered} without an answer ` +
    `(${summary.unansweredKept} kept whole, ${summary.unansweredGone} gone)`,
);
console.log([...summary.acknowledgedOf].map(([kind, count]) => `${kind} ${count}`).join(', '));
console.log(`${summary.repeats} repeats under an Idempotency-Key answered as the first`);
console.log(
  `${summary.lost} lost, ${summary.half} half, ${summary.doubled} doubled, ${summary.wrong} wrong, ${summary.unsound} unsound`,
);
if (isClean(summary)) {
  if (values.dir === undefined) fs.rmSync(dir, { recursive: true });
} else {
  console.log(`the store is kept in ${dir}`);
  process.exitCode = 1;
}
