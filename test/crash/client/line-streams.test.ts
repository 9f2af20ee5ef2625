/** To run again with another seed: node dist/test/crash/client/line-streams.test.js --seed 1 --kills 20 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { killOptions } from './kill-options.js';
import { insertedPlainly, linesFrom, streamed } from './line-streams.js';

const { kills: KILLS, seed: SEED } = killOptions(1);
t.setTimeout(60_000 + KILLS * 5_000);

for (const shards of [1, 5]) {
  t.test(
    `a stream that is sent again after kills has the same result as plain inserts, ${shards} shards`,
    async (t) => {
      const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-lines-'));
      t.teardown(() => fs.rmSync(dir, { recursive: true }));
      const random = new Prng(SEED + shards);
      const lines = linesFrom(random);
      const wanted = await insertedPlainly(path.join(dir, 'wanted'), shards, lines);
      const got = await streamed(path.join(dir, 'got'), shards, lines, KILLS, random);
      t.strictSame(
        got.parts.map((part) => [part['first-line'], part.lines, part.status, part['inserted-entities']]),
        Array.from({ length: 6 }, (_, index) => [index * 1_000 + 1, 1_000, 'success', 1_000]),
      );
      t.equal(wanted.eventCount, lines.length);
      t.equal(got.eventCount, lines.length, 'each line took effect once');
      t.equal(got.rows, wanted.rows);
    },
  );
}
