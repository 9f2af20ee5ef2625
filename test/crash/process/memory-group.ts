/**
 * A cgroup with a memory limit, of version 1 or 2 depending on the machine: the kernel kills processes in it that
 * exceed the limit. Only root may create one, and in many containers no user may.
 */
import fs from 'node:fs';
import path from 'node:path';

const ROOT = '/sys/fs/cgroup';
const REMOVE_TRIES_MAX = 100;

interface Version {
  /** The group under which a new group can be created. */
  readonly parent: string;
  /** The group of this process. */
  readonly own: string;
  readonly limitFile: string;
  readonly swapFile: string;
  /** The content of `swapFile` that turns swap off. */
  readonly swapBytes: (limitBytes: number) => number;
  readonly eventsFile: string;
}

/** The version of the memory controller of this process, or null. */
function findVersion(): Version | null {
  const lines = fs.readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  const groups = lines.map((line) => line.split(':'));
  const first = groups.find(([, controllers]) => controllers.split(',').includes('memory'));
  if (first !== undefined && fs.existsSync(`${ROOT}/memory/memory.limit_in_bytes`)) {
    const own = path.join(`${ROOT}/memory`, first[2]);
    return {
      parent: own,
      own,
      limitFile: 'memory.limit_in_bytes',
      swapFile: 'memory.memsw.limit_in_bytes',
      swapBytes: (limitBytes) => limitBytes,
      eventsFile: 'memory.oom_control',
    };
  }
  const unified = groups.find(([hierarchy]) => hierarchy === '0');
  const controllers = `${ROOT}/cgroup.controllers`;
  if (unified === undefined || !fs.existsSync(controllers)) return null;
  if (!fs.readFileSync(controllers, 'utf8').split(/\s/).includes('memory')) return null;
  return {
    // Only there may a group have both processes and subgroups.
    parent: ROOT,
    own: path.join(ROOT, unified[2]),
    limitFile: 'memory.max',
    swapFile: 'memory.swap.max',
    swapBytes: () => 0,
    eventsFile: 'memory.events',
  };
}

export class MemoryGroup {
  readonly #version: Version;
  readonly #dir: string;

  private constructor(version: Version, dir: string) {
    this.#version = version;
    this.#dir = dir;
  }

  /** Creates a group, or returns the reason why that is not possible. */
  static make(limitBytes: number): MemoryGroup | string {
    if (process.platform !== 'linux') return 'this system has no cgroups';
    let dir: string | null = null;
    try {
      const version = findVersion();
      if (version === null) return 'this machine has no cgroups that limit memory';
      if (version.eventsFile === 'memory.events') {
        fs.writeFileSync(`${version.parent}/cgroup.subtree_control`, '+memory');
      }
      dir = `${version.parent}/quarry-test-${process.pid}-${Date.now()}`;
      fs.mkdirSync(dir);
      fs.writeFileSync(`${dir}/${version.limitFile}`, String(limitBytes));
      const swapFile = `${dir}/${version.swapFile}`;
      if (fs.existsSync(swapFile)) fs.writeFileSync(swapFile, String(version.swapBytes(limitBytes)));
      return new MemoryGroup(version, dir);
    } catch (error) {
      if (dir !== null && fs.existsSync(dir)) fs.rmdirSync(dir);
      return `cgroups are not allowed here: ${(error as Error).message}`;
    }
  }

  /** A process that `start` starts synchronously is in the group from its first instruction. */
  within<T>(start: () => T): T {
    fs.writeFileSync(`${this.#dir}/cgroup.procs`, String(process.pid));
    try {
      return start();
    } finally {
      fs.writeFileSync(`${this.#version.own}/cgroup.procs`, String(process.pid));
    }
  }

  /** Number of processes of the group that the kernel killed for their memory. */
  get killCount(): number {
    const text = fs.readFileSync(`${this.#dir}/${this.#version.eventsFile}`, 'utf8');
    return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  /** Removes the group. Call it when its processes have ended. */
  async remove(): Promise<void> {
    for (let left = REMOVE_TRIES_MAX; ; left--) {
      try {
        fs.rmdirSync(this.#dir);
        return;
      } catch (error) {
        // The group may still count a process that was just reaped.
        if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || left === 0) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
}
