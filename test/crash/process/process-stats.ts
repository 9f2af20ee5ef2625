/** Metrics of a running server, and the system's statistics of its process. */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import type { Serving } from '../../support/server-process.js';

/** The values of /metrics without labels, by name. */
export function metricsOf({ httpPort }: Serving): Promise<ReadonlyMap<string, number>> {
  const options = { host: '127.0.0.1', port: httpPort, path: '/metrics', agent: false };
  return new Promise((resolve, reject) => {
    http
      .get(options, (response) => {
        let text = '';
        response.on('data', (part: Buffer) => {
          text += part.toString();
        });
        response.on('error', reject);
        response.on('end', () => {
          const lines = [...text.matchAll(/^([a-z_]+) ([-+.\de]+)$/gm)];
          resolve(new Map(lines.map(([, name, value]) => [name, Number(value)])));
        });
      })
      .on('error', reject);
  });
}

export interface ProcessStats {
  readonly rssMib: number;
  /** The highest value since the start of the process. */
  readonly rssMibMax: number;
  /** Open files, including connections. */
  readonly handles: number;
  /** What each handle is open for: the path of a file, or `socket:` and the like with a number. */
  readonly handleNames: readonly string[];
  readonly threads: number;
}

/** What the handles of a process are open for; those that are closed meanwhile are left out. */
function handleNamesOf(pid: number): string[] {
  const dir = `/proc/${pid}/fd`;
  if (!fs.existsSync(dir)) return [];
  return fs.readdirSync(dir).flatMap((handle) => {
    try {
      return [fs.readlinkSync(`${dir}/${handle}`)];
    } catch {
      return [];
    }
  });
}

/** Statistics of a running process; NaN on systems other than Linux. */
export function processStats(pid: number): ProcessStats {
  const dir = `/proc/${pid}`;
  const isKnown = fs.existsSync(dir);
  const status = isKnown ? fs.readFileSync(`${dir}/status`, 'utf8') : '';
  const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  const handleNames = handleNamesOf(pid);
  return {
    rssMib: of('VmRSS') / 1024,
    rssMibMax: of('VmHWM') / 1024,
    handles: isKnown ? handleNames.length : Number.NaN,
    handleNames,
    threads: of('Threads'),
  };
}

/** Bytes of all files below a folder that may change during the call. */
export function bytesBelow(dir: string): number {
  let bytes = 0;
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const name = path.join(dir, entry.name);
    try {
      bytes += entry.isDirectory() ? bytesBelow(name) : fs.statSync(name).size;
    } catch {
      // The file was removed meanwhile.
    }
  }
  return bytes;
}
