/** Imports within this process into a running server, and SELECTs of the imported rows. */
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { importFiles } from '../../../src/commands/import/import-files.js';
import { readImportLine } from '../../../src/commands/import/import-options.js';
import { type RemoteAccess, RemoteClient } from '../../../src/commands/remote/index.js';
import { NodeFileSystem } from '../../../src/io/index.js';
import type { RunningServer } from '../../demo/server.js';

export const THREAD_FILE = fileURLToPath(
  new URL('../../../src/commands/import/text/thread.js', import.meta.url),
);

export interface Imported {
  readonly bad: number;
  readonly output: string;
}

export const accessOf = ({ url, certificate, writeKey }: RunningServer): RemoteAccess => ({
  url,
  certificate,
  key: writeKey,
});

/** `words` are the arguments of `quarry import`. Rejects as the command does. */
export async function importing(
  access: RemoteAccess,
  words: readonly string[],
  stdin: Iterable<Uint8Array> = [],
  signal: AbortSignal = new AbortController().signal,
): Promise<Imported> {
  const line = readImportLine(words);
  if ('wrong' in line) throw new Error(line.wrong);
  let output = '';
  const write = (text: string): void => {
    output += text;
  };
  const { bad } = await importFiles({
    options: line.options,
    threadFile: THREAD_FILE,
    access,
    files: new NodeFileSystem(),
    stdin: Readable.from(stdin),
    out: write,
    progress: Object.assign(new (await import('node:stream')).PassThrough().resume(), { isTTY: false }),
    note: (text) => write(`${text}\n`),
    signal,
    elapsedMs: () => performance.now(),
    nowMs: () => Date.now(),
    random: Math.random,
  });
  return { bad, output };
}

/** The rows of a SELECT as objects. */
export async function selected(server: RunningServer, sql: string): Promise<unknown[]> {
  const client = new RemoteClient(server, 1);
  try {
    const text = await client.text({
      method: 'POST',
      path: '/v1/sql',
      key: server.masterKey,
      body: sql,
      contentType: 'application/sql',
      headers: { accept: 'application/x-ndjson' },
    });
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  } finally {
    client.close();
  }
}
