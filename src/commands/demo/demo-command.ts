/** `quarry demo`: starts a server on an empty data directory and runs the demo on it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NodeFileSystem } from '../../io/index.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import type { ServerDependencies } from '../serve/create-engine.js';
import type { Machine } from '../serve/options.js';
import { type RunningServer, startServer } from '../serve/serve.js';
import { readOptions } from '../serve/serve-config.js';
import { type DemoReport, type Output, runDemo } from './demo.js';
import { DEMO_FILES } from './files.js';

export const demoHelp = `quarry demo [--exit] [--small] [options of quarry serve]
quarry demo --files DIR

Starts a server on an embedded, empty data directory, loads real flights, airports and earthquakes and a generated
shop over HTTPS, runs a tour of queries, saves six questions about the shop, and leaves the server running.

  --exit    stop the server at the end, and remove the data directory
  --small   20,000 flights instead of 3 million, and 2,000 visitors of the shop instead of 200,000
  --files DIR
            only copy the demo's files into DIR, which is created if absent: flights-3m.parquet and three others, as
            input for quarry import

  quarry demo
  quarry demo --small --exit

Exit code 0: done, or ended by a signal; 1: an answer was refused or the server failed; 2: wrong arguments.
`;

const OWN_FLAGS = new Set(['--exit', '--small']);

/** Returns the running server, or null after --exit; or the reason why the flags are wrong. */
export async function runDemoCommand(
  argv: readonly string[],
  machine: Machine,
  context: ServerDependencies,
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
  const server = await startServer(read.config, context);
  const keys = JSON.parse(readText(path.join(server.dataDir, 'keys.json')));
  const httpsUrl = `https://${read.config.host}:${server.ports.httpsPort}`;
  const report = await runDemo({
    server: {
      url: httpsUrl,
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
    `\nThe server keeps running at ${httpsUrl}; its keys are in ${path.join(server.dataDir, 'keys.json')}. Stop it with Ctrl-C.\n`,
  );
  return { server, report };
}

/** Copies the demo's files into `dir`. Throws if a file exists there. */
function copyFiles(dir: string): string[] {
  fs.mkdirSync(dir, { recursive: true });
  return Object.values(DEMO_FILES).map((file) => {
    const target = path.join(dir, path.basename(file));
    fs.copyFileSync(file, target, fs.constants.COPYFILE_EXCL);
    return target;
  });
}

/** Leaves the server running unless --exit is given. */
export async function demoCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  if (argv[0] === '--files') {
    if (argv.length !== 2)
      return context.usage('demo: --files takes a directory and excludes all other arguments');
    for (const file of copyFiles(argv[1])) context.out(`${file}\n`);
    return EXIT.done;
  }
  const serverDependencies = context.serverDependencies('warn');
  const outcome = await runDemoCommand(argv, context.machine, serverDependencies, context.stdout);
  if ('error' in outcome) return context.usage(outcome.error);
  context.obeySignals(() => outcome.server, serverDependencies.log);
  return EXIT.done;
}

export { demoCommand as run, demoHelp as help };
