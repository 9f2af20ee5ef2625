/** A server of two workers over a directory, asked by JSON and SQL. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import { JsonClient } from '../../support/json-client.js';
import { ServerProcess } from '../../support/server-process.js';

/** A directory that ends with the test. */
export function temporaryDir(test: Pick<Test, 'teardown'>): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-client-'));
  test.teardown(() => fs.rmSync(dir, { recursive: true }));
  return dir;
}

export class SqlStore {
  readonly server: ServerProcess;
  readonly client: JsonClient;
  readonly httpPort: number;

  private constructor(server: ServerProcess, { httpPort, ...serving }: Awaited<ServerProcess['serving']>) {
    this.server = server;
    this.httpPort = httpPort;
    this.client = new JsonClient({ httpPort, ...serving }, server.keys().master);
  }

  /** `httpPort`: 0 = any free port. */
  static async open(
    dir: string,
    { flags = [], httpPort = 0 }: { readonly flags?: readonly string[]; readonly httpPort?: number } = {},
  ): Promise<SqlStore> {
    const server = new ServerProcess({ dir, flags: ['--workers', '2', ...flags], httpPort });
    return new SqlStore(server, await server.serving);
  }

  async rows<Row>(text: string): Promise<Row[]> {
    const headers = { 'content-type': 'application/sql' };
    return (await this.client.succeed<{ result: Row[] }>({ path: '/v1/sql', text, headers })).result;
  }
}
