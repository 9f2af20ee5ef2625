/** `quarry demo`: a server of its own on an empty data directory, then the demo against it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NodeFileSystem } from '../io/index.js';
import type { ServeNeeds } from './create-engine.js';
import { type DemoReport, type Output, runDemo } from './demo.js';
import type { Machine } from './options.js';
import { type RunningServer, startServer } from './serve.js';
import { readOptions } from './serve-config.js';

export const demoHelp = `quarry demo [--exit] [--small] [options of quarry serve]

Starts a server on an embedded, empty data directory, loads real flights, airports and earthquakes over HTTPS,
asks a tour of questions, and leaves the server running.

  --exit    stop at the end instead, and remove the data directory
  --small   20,000 flights instead of 3 million
`;

const OWN_FLAGS = new Set(['--exit', '--small']);

/** The server that was left running, or null after --exit; or what is wrong with the flags. */
export async function runDemoCommand(
  argv: readonly string[],
  machine: Machine,
  needs: ServeNeeds,
  out: Output,
): Promise<{ server: RunningServer | null; report: DemoReport } | { error: string }> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-demo-'));
  const own = ['--data-dir', dataDir, '--limits', 'off', '--log-level', 'warn'];
  const readText = (file: string): string => fs.readFileSync(file, 'utf8');
  const read = readOptions(
    [...own, ...argv.filter((flag) => !OWN_FLAGS.has(flag))],
    {},
    { machine, readText },
  );
  if ('error' in read) {
    fs.rmSync(dataDir, { recursive: true });
    return read;
  }
  const server = await startServer(read.config, needs);
  const keys = JSON.parse(readText(path.join(server.dataDir, 'keys.json')));
  const httpsUrl = `https://${read.config.host}:${server.ports.httpsPort}`;
  const report = await runDemo({
    server: {
      httpsUrl,
      certificate: readText(server.certFile),
      masterKey: keys.database['master-key'],
      writeKey: keys.database['write-key'],
      readKey: keys.database['read-key'],
    },
    files: new NodeFileSystem(),
    out,
    elapsedMs: () => performance.now(),
    small: argv.includes('--small'),
  });
  if (argv.includes('--exit')) {
    await server.close();
    fs.rmSync(server.dataDir, { recursive: true });
    return { server: null, report };
  }
  out.write(
    `\nThe server goes on at ${httpsUrl}; its keys are in ${path.join(server.dataDir, 'keys.json')}. Stop it with Ctrl-C.\n`,
  );
  return { server, report };
}
