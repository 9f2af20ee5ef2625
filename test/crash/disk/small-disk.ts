/**
 * A separate file system of a given size in memory (tmpfs). Mounting it requires root, also within a user namespace.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const BALLAST_STEP_BYTES = 2 ** 20;
const FULL_CODE = 'ENOSPC';

function run(command: string, ...args: string[]): string | null {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return null;
  return `${command} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`;
}

export class SmallDisk {
  readonly dir: string;

  private constructor(dir: string) {
    this.dir = dir;
  }

  /** Mounts the disk on a new folder `dir`, or returns the reason why that is not possible. */
  static mount(dir: string, bytes: number): SmallDisk | string {
    fs.mkdirSync(dir, { recursive: true });
    const refused = run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', dir);
    return refused === null ? new SmallDisk(dir) : refused;
  }

  get freeBytes(): number {
    const { bavail, bsize } = fs.statfsSync(this.dir);
    return bavail * bsize;
  }

  get #ballast(): string {
    return path.join(this.dir, 'ballast');
  }

  /** Fills the disk as another program would: all free space except `leftBytes`. */
  fill(leftBytes = 0): void {
    const file = fs.openSync(this.#ballast, 'a');
    try {
      for (let free = this.freeBytes - leftBytes; free > 0; free = this.freeBytes - leftBytes) {
        fs.writeSync(file, Buffer.alloc(Math.min(free, BALLAST_STEP_BYTES), 1));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== FULL_CODE) throw error;
    } finally {
      fs.closeSync(file);
    }
  }

  /** Removes the files of the other program. */
  giveBack(): void {
    fs.rmSync(this.#ballast, { force: true });
  }

  /** Unmounts the disk with all its files. Call it when the disk is no longer in use. */
  unmount(): void {
    const refused = run('umount', this.dir) === null ? null : run('umount', '-l', this.dir);
    if (refused !== null) throw new Error(refused);
    fs.rmdirSync(this.dir);
  }
}
