/** A retry that ends before its last line, over an engine whose scripts are scripted. */
import t from 'tap';
import { QuarryError } from '../../../../src/base/index.js';
import type { ScriptReader, ScriptRequest } from '../../../../src/engine/index.js';
import { handleCreateColumns } from '../../../../src/http/endpoints/handlers/column.js';
import { createDimension } from '../../../../src/http/endpoints/handlers/dimension.js';
import { retryQuarantine } from '../../../../src/http/endpoints/handlers/quarantine.js';
import { answerTo, callOf } from '../../database-call.js';
import { FakeEngine } from '../../fake-engine.js';

const PER_RECORD = 100;
const idOf = (at: number): string => `row-${String(at).padStart(5, '0')}`;

/** An engine with a quarantine, of which scripts read 100 rows each until the one numbered `failing` (from 0) fails. */
async function engineOf(failing: number): Promise<FakeEngine> {
  const engine = new FakeEngine();
  await createDimension(callOf(engine, '[{"name": "Quarantine", "api-name": "default-quarantine"}]'));
  const columns = ['line', 'parameters', 'header'].map((name) => ({
    name,
    type: 'string',
    storage: 'list-of-values',
  }));
  const received = { name: 'received', type: 'datetime' };
  const body = [...columns, received].map((column) => ({ ...column, dimension: 'default-quarantine' }));
  await handleCreateColumns(callOf(engine, JSON.stringify(body)));
  let scripts = 0;
  const reader: Pick<ScriptReader, 'lines' | 'stored'> = {
    lines: async () =>
      Array.from({ length: PER_RECORD }, (_, at) =>
        JSON.stringify({
          id: idOf(scripts * PER_RECORD + at),
          line: ['{"id": "x"}'],
          received: '2026-01-05',
        }),
      ),
    stored: async () => [],
  };
  engine.script = async (request: ScriptRequest) => {
    if (scripts === failing) throw new QuarryError(9003);
    await request.prepare?.(reader as ScriptReader);
    scripts++;
    return [];
  };
  return engine;
}

t.test('a fault after some lines is the answer of the next request', async (t) => {
  t.strictSame(await answerTo(retryQuarantine, callOf(await engineOf(2), '{}')), {
    inserted: 2 * PER_RECORD,
    refused: 0,
    after: idOf(2 * PER_RECORD - 1),
  });
});

t.test('a fault before any line is the answer', async (t) => {
  await t.rejects(answerTo(retryQuarantine, callOf(await engineOf(0), '{}')), { code: 9003 });
});
