/** Sends insert bodies, several concurrently, and checks the answer to each. */
import { invariant } from '../../base/index.js';
import type { RemoteClient } from '../remote/client.js';
import type { InsertBody } from './model.js';

export const INSERTS_IN_FLIGHT = 4;

export interface LoadReport {
  readonly rowCount: number;
  readonly bodyCount: number;
  /** JSON bytes of all bodies. */
  readonly byteCount: number;
  readonly seconds: number;
}

/**
 * Inserts every body; `onInserted` runs after each answer. Rejects at the first refusal; other bodies in flight may have
 * been inserted.
 */
export async function insertAll(
  client: RemoteClient,
  writeKey: string,
  bodies: AsyncGenerator<InsertBody>,
  elapsedMs: () => number,
  onInserted: (body: InsertBody) => void,
): Promise<LoadReport> {
  const startMs = elapsedMs();
  let rowCount = 0;
  let bodyCount = 0;
  let byteCount = 0;
  const sender = async (): Promise<void> => {
    for (;;) {
      const next = await bodies.next();
      if (next.done) return;
      const body = next.value;
      const answer = (await client.json({
        method: 'POST',
        path: '/v1/insert',
        key: writeKey,
        body: body.bytes,
      })) as Record<string, unknown>;
      const { 'inserted-entities': entities, 'inserted-values': values } = answer;
      invariant(
        entities === body.entityCount && values === body.valueCount,
        `sent ${body.entityCount} entities with ${body.valueCount} values, but the server counted ${entities} and ${values}`,
      );
      rowCount += body.rowCount;
      bodyCount++;
      byteCount += body.bytes.length;
      onInserted(body);
    }
  };
  await Promise.all(Array.from({ length: INSERTS_IN_FLIGHT }, sender));
  return { rowCount, bodyCount, byteCount, seconds: (elapsedMs() - startMs) / 1000 };
}
