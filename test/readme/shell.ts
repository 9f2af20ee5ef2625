/** A server, and runs of the documents' commands in bash against it. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { freePort, ServerProcess } from '../support/server-process.js';
import { type Block, blocksOf, looksLike, pagesUpTo } from './pages.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** The programs among `tools`, by default those that all documents need, that are not installed. */
export function missingTools(tools: readonly string[] = ['bash', 'curl']): string[] {
  return tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
}

export interface Site {
  readonly server: ServerProcess;
  readonly httpsPort: number;
  /** Port of the Postgres protocol, if the server of the page opens it. */
  readonly pgPort: number;
  /** Working directory of the commands; the data directory is its folder `store`. */
  readonly dir: string;
  /** The output of the script, with the real port replaced by that of the documents. Rejects when a command fails. */
  run(script: string): Promise<string>;
}

/** Starts a server that ends with the test. `flags` of `quarry serve` are added to data directory and ports. */
export async function startSite(t: Test, flags: readonly string[] = []): Promise<Site> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-pages-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const pgPort = String(await freePort());
  const server = new ServerProcess({
    dir: path.join(dir, 'store'),
    flags: flags.map((flag) => (flag === '5432' ? pgPort : flag)),
  });
  t.teardown(() => server.kill());
  const { httpsPort, httpPort } = await server.serving;
  const ports = { 8443: String(httpsPort), 8080: String(httpPort), 5432: pgPort };
  const bin = path.join(dir, 'bin');
  fs.mkdirSync(bin);
  const quarry = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  fs.writeFileSync(path.join(bin, 'quarry'), quarry, { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    HOME: dir,
    // For servers that the commands start themselves.
    QUARRY_HTTPS_PORT: String(await freePort()),
    QUARRY_HTTP_PORT: String(await freePort()),
    QUARRY_LIMITS: 'off',
  };
  const run = async (script: string): Promise<string> => {
    let real = script;
    for (const [port, own] of Object.entries(ports)) {
      real = real.replaceAll(new RegExp(`(:|-p )${port}(?!\\d)`, 'g'), `$1${own}`);
    }
    return (await runShell(real, dir, env))
      .replaceAll(`:${httpsPort}`, ':8443')
      .replaceAll(`:${httpPort}`, ':8080');
  };
  return { server, httpsPort, pgPort: Number(pgPort), dir, run };
}

/** Returns the script's output; rejects with it if a command fails. Ends the processes that the script left running. */
function runShell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const own = `exec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${script}`;
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', own], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    shell.stdout.on('data', (part: Buffer) => {
      output += part.toString();
    });
    shell.on('error', reject);
    shell.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`exit ${code}: ${output}`)),
    );
  });
}

/** A block that was run, and its output. */
export interface Ran {
  readonly block: Block;
  readonly found: string;
}

/** Flags of `quarry serve`, without the data directory, in the last block that starts a server. */
function flagsOf(blocks: readonly Block[]): string[] {
  const start = blocks.findLast(({ role }) => role === 'server');
  if (start === undefined) return [];
  const found = /^(?:npm start --|quarry serve) --data-dir (?:\.\/)?store(.*)$/.exec(start.text.trim());
  if (found === null) throw new Error(`${start.page}:${start.line} does not start a server on store`);
  return found[1].split(' ').filter((flag) => flag !== '');
}

/**
 * Runs the commands of the page, after those of the pages that it follows, on a server of its own; omits blocks that
 * match `without`.
 */
export async function runPage(t: Test, page: string, without?: RegExp): Promise<{ site: Site; ran: Ran[] }> {
  const blocks = pagesUpTo(page).flatMap(blocksOf);
  const site = await startSite(t, flagsOf(blocks));
  const commands = blocks.filter(
    ({ language, role, text }) => language === 'sh' && role === '' && without?.test(text) !== true,
  );
  const mark = (at: number): string => `-- end of block ${at} --`;
  const script = commands.map(({ text }, at) => `${text}\necho; echo '${mark(at)}'`).join('\n');
  let rest = await site.run(script);
  const ran = commands.map((block, at) => {
    const [found] = rest.split(mark(at), 1);
    rest = rest.slice(found.length + mark(at).length);
    return { block, found };
  });
  return { site, ran: ran.filter(({ block }) => block.page === page) };
}

/** Compares what each block printed with the output that the page shows. */
export function checkOutputs(t: Test, ran: readonly Ran[]): void {
  for (const { block, found } of ran) {
    const { page, line, output } = block;
    if (output !== null && !looksLike(found, output)) t.equal(found, output, `${page}:${line}`);
  }
}

/** The answers to the commands of a page, in order: the lines of output that are JSON objects. */
export function answersIn(ran: readonly Ran[]): Record<string, unknown>[] {
  return ran
    .flatMap(({ found }) => found.split(/\r?\n/))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
