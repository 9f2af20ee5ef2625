/** `quarry demo`: a server of its own on an empty data directory, then the demo against it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NodeFileSystem } from '../../io/index.js';
import { type CommandNeeds, EXIT, type ExitCode } from '../command.js';
import type { ServeNeeds } from '../serve/create-engine.js';
import type { Machine } from '../serve/options.js';
import { type RunningServer, startServer } from '../serve/serve.js';
import { readOptions } from '../serve/serve-config.js';
import { type DemoReport, type Output, runDemo } from './demo.js';
import { DEMO_FILES } from './files.js';

export const demoHelp = `quarry demo [--exit] [--small] [options of quarry serve]
quarry demo --files DIR

Starts a server on an embedded, empty data directory, loads real flights, airports and earthquakes over HTTPS,
asks a tour of questions, and leaves the server running.

  --exit    stop at the end instead, and remove the data directory
  --small   20,000 flights instead of 3 million
  --files DIR
            copy the files that it loads into DIR, made when absent, and stop: flights-3m.parquet and three others, to
            try quarry import with

  quarry demo
  quarry demo --small --exit

Exit code 0: done, or ended by a signal; 1: an answer was refused or the server failed; 2: wrong arguments.
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
    `\nThe server goes on at ${httpsUrl}; its keys are in ${path.join(server.dataDir, 'keys.json')}. Stop it with Ctrl-C.\n`,
  );
  return { server, report };
}

/** Copies the demo's files into `dir`; one that is there already is not written over. */
function copyFiles(dir: string): string[] {
  fs.mkdirSync(dir, { recursive: true });
  return Object.values(DEMO_FILES).map((file) => {
    const target = path.join(dir, path.basename(file));
    fs.copyFileSync(file, target, fs.constants.COPYFILE_EXCL);
    return target;
  });
}

/** Leaves the server running, unless told to end. */
export async function demoCommand(argv: readonly string[], needs: CommandNeeds): Promise<ExitCode> {
  if (argv[0] === '--files') {
    if (argv.length !== 2) return needs.usage('demo: --files takes a directory, and nothing beside it');
    for (const file of copyFiles(argv[1])) needs.out(`${file}\n`);
    return EXIT.done;
  }
  const serverNeeds = needs.serverNeeds('warn');
  const outcome = await runDemoCommand(argv, needs.machine, serverNeeds, needs.stdout);
  if ('error' in outcome) return needs.usage(outcome.error);
  needs.obeySignals(() => outcome.server, serverNeeds.log);
  return EXIT.done;
}

export { demoCommand as run, demoHelp as help };
