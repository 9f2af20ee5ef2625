/** Medians and spreads, and Linux's statistics of a process. */
import fs from 'node:fs';

/** One quantity measured several times. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** `values` must not be empty. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, min: sorted[0], max: sorted[sorted.length - 1] };
}

/** Clock ticks a second in /proc; the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** User and system time of all threads of a process, in seconds. */
export const cpuSecondsOf = (pid: number): number => secondsIn(`/proc/${pid}/stat`);

/** The same of its main thread. */
export const mainCpuSecondsOf = (pid: number): number => secondsIn(`/proc/${pid}/task/${pid}/stat`);

function secondsIn(file: string): number {
  const stat = fs.readFileSync(file, 'utf8');
  // The second field is a name in parentheses that may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory of a process, in bytes. */
export function residentBytesOf(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (match === null) throw new Error(`process ${pid} has no resident memory`);
  return Number(match[1]) * 1024;
}

/** Bytes of the files that a process has mapped for running code: its executable and native libraries. */
export function codeBytesOf(pid: number): number {
  const maps = fs.readFileSync(`/proc/${pid}/maps`, 'utf8');
  const files = new Set([...maps.matchAll(/^\S+ r-xp .* (\/.*)$/gm)].map(([, file]) => file));
  return [...files].reduce((sum, file) => sum + fs.statSync(file).size, 0);
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
