/** What the system tells of another process; NaN where it tells nothing (only Linux does). */
import fs from 'node:fs';

/** Bytes that lie in memory. */
export function residentBytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  if (!fs.existsSync(file)) return Number.NaN;
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(file, 'utf8'))?.[1] ?? Number.NaN) * 1_024;
}

/** Open files, connections among them. */
export function handleCount(pid: number): number {
  const dir = `/proc/${pid}/fd`;
  return fs.existsSync(dir) ? fs.readdirSync(dir).length : Number.NaN;
}
