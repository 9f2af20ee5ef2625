/** Parts of a body that are passed to the handler one by one, without a server. */
import t from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { hashOfKey } from '../../../src/catalog/index.js';
import type { AdmittedRequest } from '../../../src/http/auth/admission.js';
import { ENDPOINTS } from '../../../src/http/endpoints/endpoints.js';
import type { HandlerRunner } from '../../../src/http/endpoints/handler-runner.js';
import { bodyIdempotencyIdOf, partIdempotencyIdOf } from '../../../src/http/endpoints/idempotency.js';
import type { RequestLog } from '../../../src/http/observability/request-log.js';
import { RequestNotes } from '../../../src/http/observability/request-notes.js';
import { PartRunner } from '../../../src/http/transport/part-runner.js';
import type { BodyPart } from '../../../src/http/transport/part-source.js';
import { KEYS } from '../fake-engine.js';

type Run = Parameters<HandlerRunner['run']>;

const INSERT = ENDPOINTS.find(({ path, method }) => path === '/v1/insert' && method === 'POST');
const TEXT = new Uint8Array([0x7b, 0x7d, 0x0a]);

/** A part runner with the handler `handle`, a list of the calls that it got, and a list of the audited notes. */
function setUp(
  idempotencyId: string | null,
  handle: (notes: RequestNotes) => unknown,
  bodyScope: string | null = null,
) {
  if (INSERT === undefined) throw new Error('there is no insert');
  const runs: Run[] = [];
  const audited: [RequestNotes, number][] = [];
  const runner = {
    run: (...run: Run) => {
      runs.push(run);
      return handle(run[3]);
    },
  } as unknown as HandlerRunner;
  const log = {
    audit: (...entry: [RequestNotes, number]) => audited.push(entry),
  } as unknown as RequestLog;
  const notes = new RequestNotes('request-1', '192.0.2.1');
  notes.found(INSERT);
  notes.caller = { kind: 'write', hash: hashOfKey(KEYS.write), databaseId: 1 };
  const admitted = { context: { endpoint: INSERT }, idempotencyId, bodyScope } as unknown as AdmittedRequest;
  const cancellation = { isCancelled: false, onCancel() {} };
  const parts = new PartRunner({ runner, log, admitted, cancellation, notes, quarantined: () => {} });
  const apply = (number: number): Promise<string> => {
    const lines = { head: 0, first: number * 1_000 };
    const part: BodyPart = { number, firstLine: lines.first, lineCount: 3, text: TEXT, lines };
    return parts.apply(part, TEXT);
  };
  return { apply, runs, audited, notes, cancellation };
}

t.test('each part is a separate call, with its own lines, idempotency key and notes', async (t) => {
  const { apply, runs, audited, notes, cancellation } = setUp('once', (ofPart) => {
    ofPart.rowCount = 5;
    return `"part-run":${runs.length}`;
  });
  t.equal(await apply(1), '"part-run":1');
  t.equal(await apply(2), '"part-run":2');
  t.strictSame(
    runs.map(([{ idempotencyId }, , , , lines]) => [idempotencyId, lines]),
    [1, 2].map((number) => [partIdempotencyIdOf('once', number), { head: 0, first: number * 1_000 }]),
  );
  for (const [, text, waiting, ofPart] of runs) {
    t.equal(text, TEXT);
    t.equal(waiting, cancellation);
    t.not(ofPart, notes);
    const { requestId, client, endpointName, caller } = notes;
    t.match(ofPart, { requestId, client, endpointName, caller });
  }
  t.not(runs[0][3], runs[1][3]);
  t.equal(notes.rowCount, null, 'notes of a part do not reach other parts');
  t.strictSame(
    audited,
    runs.map((run) => [run[3], 200]),
  );
});

t.test('after a part whose key belongs to another one no later part is run', async (t) => {
  const { apply, runs, audited } = setUp('once', () => {
    if (runs.length === 1) throw new QuarryError(2011, 'there is no column');
    if (runs.length === 3) return Promise.reject(new QuarryError(9001, 'used for another body'));
    return '"a":1';
  });
  await t.rejects(apply(1), { code: 2011 }, 'other refusals concern their part only');
  await apply(2);
  await t.rejects(apply(3), { code: 9001, message: /another body/ });
  await t.rejects(apply(4), { code: 9001, message: /another part 3: no later part is inserted/ });
  await t.rejects(apply(5), { code: 9001 });
  t.equal(runs.length, 3);
  t.equal(audited.length, 1);
});

t.test('without an idempotency key of the request no part has one', async (t) => {
  const { apply, runs } = setUp(null, () => '"a":1');
  await apply(1);
  t.equal(runs[0][0].idempotencyId, null);
});

t.test(
  'an error that the handler throws or rejects with is propagated, and nothing is audited',
  async (t) => {
    const refusal = new QuarryError(2011, 'there is no column');
    for (const handle of [
      () => Promise.reject(refusal),
      () => {
        throw refusal;
      },
    ]) {
      const { apply, audited } = setUp('once', handle);
      await t.rejects(apply(1), refusal);
      t.strictSame(audited, []);
    }
    const { apply } = setUp(null, () => ({ rows: {} }));
    await t.rejects(
      apply(1),
      { message: /does not stream rows/ },
      'a handler that streams its answer is an invariant violation',
    );
  },
);

t.test(
  'parts of bodies that take effect once are named by their number and bytes, or by the key',
  async (t) => {
    for (const key of [null, 'once']) {
      const { apply, runs } = setUp(key, () => '', 'scope');
      await apply(1);
      await apply(2);
      t.strictSame(
        runs.map(([{ idempotencyId }]) => idempotencyId),
        [1, 2].map((number) =>
          key === null ? bodyIdempotencyIdOf('scope', number, TEXT) : partIdempotencyIdOf(key, number),
        ),
      );
    }
  },
);
