/** `quarry bench`: measures insert and query rates of a server on this machine and disk, through HTTPS. */
import os from 'node:os';
import path from 'node:path';
import { NodeFileSystem } from '../../io/index.js';
import { type FlagKinds, flagTextOf, readFlags, type Wrong } from '../admin/admin-options.js';
import { inColumns } from '../columns.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { printable } from '../printable.js';
import { formatBytes, formatCount } from '../progress.js';
import { measureDisk } from './disk.js';
import { type BenchLine, type BenchOptions, runBench } from './run.js';
import { startBenchServer } from './server.js';

const DEFAULTS: BenchOptions = { entities: 500_000, seconds: 3, connections: 4 };
const ENTITIES_MAX = 1_000_000_000;
const SECONDS_MAX = 3_600;
const CONNECTIONS_MAX = 1_024;

export const benchHelp = `quarry bench [--entities N] [--seconds S] [--connections N] [--dir DIR] [--json]

Starts a server on an empty data directory, inserts generated entities over HTTPS (each insert is on disk before its
answer), repeats queries for counts and top values, and prints the rate and the times of each, with a description of the
machine and the disk. Every answer is checked against the inserted entities. The client runs on the same machine and uses
a part of its CPU. At the end, also after Ctrl-C, the server is stopped and the directory is removed.

  --entities N      entities to insert (default: ${DEFAULTS.entities})
  --seconds S       how long each query is repeated (default: ${DEFAULTS.seconds})
  --connections N   concurrent connections (default: ${DEFAULTS.connections})
  --dir DIR         folder for the data directory, on the disk to measure (default: the system's folder
                    for temporary files, which may be in memory)
  --json            one JSON object instead of the table

  quarry bench --dir /var/lib/quarry
  quarry bench --entities 5000000 --connections 16 --json

Exit code 0: done; 1: an answer was wrong, the server failed, or it was interrupted; 2: wrong arguments.
`;

export interface BenchCommandLine extends BenchOptions {
  readonly dir: string;
  readonly json: boolean;
}

const FLAGS = {
  entities: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string' },
  dir: { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies FlagKinds;

/** Reads the command line, or returns the reason why it is wrong. */
export function readBenchLine(argv: readonly string[]): BenchCommandLine | Wrong {
  const read = readFlags(argv, FLAGS);
  if ('wrong' in read) return read;
  const { positionals, flags } = read;
  if (positionals.length > 0) return { wrong: 'bench takes no arguments, only options' };
  const text = (name: keyof typeof FLAGS): string | undefined => flagTextOf(flags, name);
  const entities = wholeOf('entities', text('entities'), DEFAULTS.entities, ENTITIES_MAX);
  if (typeof entities !== 'number') return entities;
  const seconds = secondsOf(text('seconds'));
  if (typeof seconds !== 'number') return seconds;
  const connections = wholeOf('connections', text('connections'), DEFAULTS.connections, CONNECTIONS_MAX);
  if (typeof connections !== 'number') return connections;
  const dir = path.resolve(text('dir') ?? os.tmpdir());
  return { entities, seconds, connections, dir, json: flags.has('json') };
}

function wholeOf(name: string, text: string | undefined, fallback: number, most: number): number | Wrong {
  if (text === undefined) return fallback;
  const number = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= most
    ? number
    : { wrong: `--${name}: expected a whole number from 1 to ${most}, not ${JSON.stringify(text)}` };
}

/** Reads a number of seconds, which may have a fraction. */
function secondsOf(text: string | undefined): number | Wrong {
  if (text === undefined) return DEFAULTS.seconds;
  const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  return seconds > 0 && seconds <= SECONDS_MAX
    ? seconds
    : { wrong: `--seconds: expected a number up to ${SECONDS_MAX}, not ${JSON.stringify(text)}` };
}

export async function benchCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const line = readBenchLine(argv);
  if ('wrong' in line) return context.usage(line.wrong);
  const fs = new NodeFileSystem();
  if (!(await fs.exists(line.dir))) return context.usage(`--dir: ${line.dir} does not exist`);
  const elapsedMs = (): number => performance.now();
  const stop = context.interrupted();
  const disk = await measureDisk(fs, line.dir, elapsedMs);
  const durability = ['--durability', 'fsync'];
  const server = await startBenchServer(context.self, line.dir, durability);
  let lines: BenchLine[];
  try {
    stop.throwIfAborted();
    const begins = (name: string): void => {
      if (context.stderr.isTTY === true) context.note(`${name} ...`);
    };
    lines = await runBench({ server, options: line, pace: { elapsedMs, stop }, begins });
  } catch (error) {
    if (!stop.aborted) throw error;
    context.note('interrupted; the server and its data directory are removed');
    return EXIT.failed;
  } finally {
    await server.close();
  }
  const report = {
    ...machineOf(context),
    dir: line.dir,
    disk,
    options: { ...line, durability: 'fsync' },
    lines,
  };
  context.out(line.json ? `${JSON.stringify(report)}\n` : reportText(report));
  return EXIT.done;
}

interface MachineReport {
  readonly release: string;
  readonly node: string;
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
}

function machineOf({ release, machine }: CommandContext): MachineReport {
  return {
    release,
    node: process.versions.node,
    system: `${process.platform} ${process.arch}`,
    processor: os.cpus()[0]?.model ?? 'unknown',
    cores: machine.cpuCount,
    memoryBytes: machine.memoryBytes,
  };
}

interface BenchReport extends MachineReport {
  readonly dir: string;
  readonly disk: { readonly p50Ms: number; readonly p99Ms: number };
  readonly options: BenchOptions;
  readonly lines: readonly BenchLine[];
}

const formatMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;

function reportText(report: BenchReport): string {
  const { release, node, system, processor, cores, memoryBytes, dir, disk, options, lines } = report;
  const head = inColumns([
    ['quarry', `${release}, Node ${node} on ${system}`],
    ['machine', `${cores} cores (${printable(processor)}), ${formatBytes(memoryBytes)} of memory`],
    ['disk', `${printable(dir)}: fdatasync of 4 KiB ${formatMs(disk.p50Ms)}, p99 ${formatMs(disk.p99Ms)}`],
    ['server', `durability fsync, HTTPS, ${options.connections} connections of a client on the same machine`],
  ]);
  const rows = lines.map(({ name, count, seconds, each, p50Ms, p99Ms }) => [
    name,
    `${formatCount((count * each) / seconds)}/s`,
    formatMs(p50Ms),
    formatMs(p99Ms),
  ]);
  const table = inColumns([['', 'entities or answers', 'p50', 'p99'], ...rows], [1, 2, 3]);
  const end = `${formatCount(options.entities)} entities; every answer was correct.`;
  return [...head, '', ...table, '', end, ''].join('\n');
}

export { benchCommand as run, benchHelp as help };
