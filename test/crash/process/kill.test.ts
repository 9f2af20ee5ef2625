import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { runRounds } from '../history/rounds.js';

const ROUNDS = 8;
const seed = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.setTimeout(300_000);
t.comment(`seed ${seed}`);

t.test(
  'after kill -9 at random times every acknowledged request took effect completely and once',
  async (t) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-kill-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    const report = (line: string): void => t.comment(line);
    const summary = await runRounds({ dir, rounds: ROUNDS, seed, requestsMax: 50, report });
    t.strictSame(summary.texts, []);
    const { lost, half, doubled, wrong, unsound } = summary;
    t.strictSame(
      { lost, half, doubled, wrong, unsound },
      { lost: 0, half: 0, doubled: 0, wrong: 0, unsound: 0 },
    );
    t.ok(summary.acknowledged > ROUNDS, `${summary.acknowledged} acknowledged`);
    t.ok(summary.checks > summary.acknowledged, `${summary.checks} counts compared`);
  },
);
