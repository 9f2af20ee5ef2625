/**
 * Memory that this process may use: the machine's memory, or the smallest limit of its cgroup (version 1 or 2) and the
 * cgroups above it. Pure except for the files read through `readText`.
 */

/** Returns the text of a file, or null when it cannot be read. */
export type ReadTextOrNull = (path: string) => string | null;

const CGROUP_ROOT = '/sys/fs/cgroup';

/** `machineBytes` is the memory of the machine. */
export function usableMemoryBytes(machineBytes: number, readText: ReadTextOrNull): number {
  let bytes = machineBytes;
  for (const path of limitFiles(readText('/proc/self/cgroup') ?? '')) {
    const text = readText(path)?.trim() ?? '';
    // Without a limit, version 2 has "max" and version 1 a number above any machine's memory.
    if (/^\d+$/.test(text) && Number(text) > 0) bytes = Math.min(bytes, Number(text));
  }
  return bytes;
}

/** The files that may hold a limit: of the process's cgroups and of all cgroups above them. */
function limitFiles(cgroups: string): string[] {
  const files: string[] = [];
  for (const line of cgroups.split('\n')) {
    const [hierarchy, controllers, path] = line.split(':');
    if (path === undefined) continue;
    if (hierarchy === '0') files.push(...upwards(CGROUP_ROOT, path, 'memory.max'));
    else if (controllers.split(',').includes('memory')) {
      files.push(...upwards(`${CGROUP_ROOT}/memory`, path, 'memory.limit_in_bytes'));
    }
  }
  return files;
}

function upwards(root: string, path: string, file: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return Array.from({ length: parts.length + 1 }, (_, above) =>
    [root, ...parts.slice(0, parts.length - above), file].join('/'),
  );
}
