import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { memoryRound } from './memory-limit.js';

const GROUP_MIB = 600;
const QUERIES = 24;
const seed = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.setTimeout(380_000);
t.comment(`seed ${seed}`);

t.test(
  'under a memory limit of the kernel the server refuses writes and queries, and is never killed',
  async (t) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-memory-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    const outcome = await memoryRound({ dir, seed, groupMib: GROUP_MIB, queries: QUERIES });
    if (typeof outcome === 'string') {
      t.comment(`not tried: ${outcome}`);
      t.pass(`not tried: ${outcome}`, { skip: outcome });
      return;
    }
    t.comment(JSON.stringify(outcome));
    t.strictSame(outcome.faults, []);
    t.ok(
      outcome.bodiesTaken > 0 && outcome.bodiesRefused >= outcome.bodiesTaken,
      'three times the limit was sent',
    );
    t.ok(
      outcome.queriesRefused > 0 && outcome.goodAnswers > 0,
      'heavy queries are refused, small ones answered',
    );
  },
);
