/**
 * `npm run try:binary`: runs the commands of "A day with it" in docs/operations/deployment.md unchanged, in an empty folder
 * and an empty environment: no Node in the path, no home, no variables except the ports. `-- --rows N` imports only the
 * first N flights. Exit code 0: every command succeeded.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildBinary } from './build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const PAGE = 'docs/operations/deployment.md';
/** Programs of a plain Debian that the commands use. */
const TOOLS = ['bash', 'cmp', 'cp', 'date', 'mv', 'sleep', 'sort'];

const TOOL_DIRS = ['/usr/local/bin', '/usr/bin', '/bin'];

/** The commands below the heading. */
function dayOf(page) {
  const [, behind = ''] = page.split('\n## A day with it\n');
  const found = /```sh.*\n([\s\S]*?)```/.exec(behind.split('\n## ')[0]);
  if (found === null) throw new Error(`${PAGE} has no block of commands for the executable`);
  return found[1];
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function toolPath(tool) {
  const found = TOOL_DIRS.map((dir) => path.join(dir, tool));
  const file = found.find((candidate) => fs.existsSync(candidate));
  if (file === undefined) throw new Error(`${tool} is not installed`);
  return file;
}

/** Runs the commands in `dir`. Returns their output and the exit code. */
export async function runDay(binary, dir, rows) {
  const bin = path.join(dir, 'bin');
  fs.mkdirSync(bin);
  for (const tool of TOOLS) fs.symlinkSync(toolPath(tool), path.join(bin, tool));
  fs.copyFileSync(binary, path.join(bin, 'quarry'));
  let day = dayOf(fs.readFileSync(path.join(root, PAGE), 'utf8'));
  if (rows !== null) day = day.replace('import files/flights-3m.parquet', `$& --limit ${rows}`);
  // A command that fails ends the script and the server.
  const script = `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${day}`;
  const env = {
    PATH: bin,
    TMPDIR: dir,
    QUARRY_CACHE_DIR: path.join(dir, 'cache'),
    QUARRY_HTTPS_PORT: String(await freePort()),
    QUARRY_HTTP_PORT: String(await freePort()),
  };
  const cwd = path.join(dir, 'day');
  fs.mkdirSync(cwd);
  const shell = spawn(toolPath('bash'), ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (part) => {
      output += part;
    });
  }
  const code = await new Promise((resolve) => shell.on('close', resolve));
  return { code, output };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { rows: { type: 'string' } } });
  const binary = await buildBinary();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-day-'));
  const { code, output } = await runDay(binary, dir, values.rows ?? null);
  fs.rmSync(dir, { recursive: true });
  process.stdout.write(output);
  process.exitCode = code === 0 ? 0 : 1;
}
