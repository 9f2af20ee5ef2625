/** Reads what a script would read, without writing anything. */
import type { EngineApi, ScriptReader, ScriptRequest } from '../api.js';

/** Ends a script after it has read. */
class OnlyRead extends Error {
  override name = 'OnlyRead';
}

type ReadRequest = Pick<ScriptRequest, 'databaseId' | 'customKey' | 'columnIds' | 'nowMs' | 'cancellation'>;

/** Returns what `read` resolves with. Rejects like EngineApi.script. */
export async function readForScript<T>(
  engine: Pick<EngineApi, 'script'>,
  request: ReadRequest,
  read: (reader: ScriptReader) => Promise<T>,
): Promise<T> {
  let result: { readonly value: T } | null = null;
  const prepare = async (reader: ScriptReader): Promise<never> => {
    result = { value: await read(reader) };
    throw new OnlyRead();
  };
  try {
    await engine.script({ ...request, idempotency: null, bind: () => [], prepare, charge: () => {} });
  } catch (error) {
    if (!(error instanceof OnlyRead) || result === null) throw error;
  }
  return (result as unknown as { readonly value: T }).value;
}
