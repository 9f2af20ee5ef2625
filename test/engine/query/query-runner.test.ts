/** What holds records back does so for a bounded time, and only where records wait. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { EngineOptions } from '../../../src/engine/options.js';
import { QueryRunner } from '../../../src/engine/query/query-runner.js';
import type { RunningQuery } from '../../../src/engine/query/running-query.js';
import { ReadGate } from '../../../src/engine/query/write-barrier.js';
import { LaneSet } from '../../../src/engine/workers/worker-clients.js';
import { DataVersions } from '../../../src/engine/write/data-versions.js';
import { ASKING } from '../store.js';

const HELD_MS_MAX = 100;

function runnerBehind(gate: ReadGate): QueryRunner {
  const options = { laneCount: 0 } as unknown as EngineOptions;
  const lanes = new LaneSet(
    options,
    1,
    () => {},
    () => false,
  );
  return new QueryRunner({
    lanes,
    gate,
    versions: new DataVersions(),
    limits: { timeoutMs: 20_000, bytesMax: 2 ** 30 },
    heldMsMax: HELD_MS_MAX,
    shrinkVersion: () => 0,
    elapsedMs: () => performance.now(),
  });
}

/** Works for `ms` unless it is stopped. */
async function workFor(query: RunningQuery, ms: number): Promise<string> {
  for (const endMs = performance.now() + ms; performance.now() < endMs; await pause(5)) query.check();
  return 'done';
}

t.test('a query that holds records back too long is stopped, and they pass', async (t) => {
  const gate = new ReadGate();
  const runner = runnerBehind(gate);
  let passed = false;
  const held = runner.seated([], ASKING, (query) =>
    runner.behindGate(query, () => {
      gate.write(() => {
        passed = true;
      });
      return workFor(query, 15_000);
    }),
  );
  await t.rejects(held, { code: 9005, message: /writes waited/ });
  t.ok(passed);
});

t.test('a query behind the gate takes its time where no record waits', async (t) => {
  const gate = new ReadGate();
  const runner = runnerBehind(gate);
  const answer = await runner.seated([], ASKING, (query) =>
    runner.behindGate(query, () => workFor(query, HELD_MS_MAX * 4)),
  );
  t.equal(answer, 'done');
});
