/**
 * `npm run try:binary`: the commands of "A day with it" in docs/operations/deployment.md, word for word, in an empty folder
 * and an empty environment: no Node in the path, no home, no variables but the ports. `-- --rows N` imports only the first
 * N flights. Exit code 0: every command of it succeeded.
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
/** What a bare Debian has of what the day needs. */
const TOOLS = ['bash', 'cmp', 'cp', 'date', 'mv', 'sleep', 'sort'];

const TOOL_DIRS = ['/usr/local/bin', '/usr/bin', '/bin'];

/** The commands below the heading. */
function dayOf(page) {
  const [, behind = ''] = page.split('\n## A day with it\n');
  const found = /```sh.*\n([\s\S]*?)```/.exec(behind.split('\n## ')[0]);
  if (found === null) throw new Error(`${PAGE} has no day with the executable`);
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
  if (file === undefined) throw new Error(`${tool} is not on this machine`);
  return file;
}

/** Runs the day in `dir`; gives what it wrote, and its exit code. */
export async function runDay(binary, dir, rows) {
  const bin = path.join(dir, 'bin');
  fs.mkdirSync(bin);
  for (const tool of TOOLS) fs.symlinkSync(toolPath(tool), path.join(bin, tool));
  fs.copyFileSync(binary, path.join(bin, 'quarry'));
  let day = dayOf(fs.readFileSync(path.join(root, PAGE), 'utf8'));
  if (rows !== null) day = day.replace('import files/flights-3m.parquet', `$& --limit ${rows}`);
  // A command that fails ends the day, and the server with it.
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
