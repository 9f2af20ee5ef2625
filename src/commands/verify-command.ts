/** `quarry verify DIR`: checks every checksum of a data directory that no server has open. */
import path from 'node:path';
import { verifyStore } from '../inspect/index.js';
import { lockDirectory, NodeFileSystem } from '../io/index.js';

export const verifyHelp = `quarry verify DIR

Reads the manifest, every snapshot file and every log record of the data directory DIR and checks them. Changes
nothing. Exit code 0: sound; 3: what is wrong is printed, one line each; 1: it cannot be read, or a process has it open;
2: wrong arguments.
`;

/** Returns the exit code. */
export async function verifyCommand(
  argv: readonly string[],
  out: NodeJS.WritableStream,
  usage: (text: string) => never,
): Promise<number> {
  if (argv.length !== 1 || argv[0].startsWith('-')) usage('verify takes one argument, the data directory');
  const dir = path.resolve(argv[0]);
  const fs = new NodeFileSystem();
  if (!(await fs.exists(dir))) usage(`${dir} is not there`);
  const lock = await lockDirectory(dir);
  try {
    const report = await verifyStore(fs, dir);
    out.write(
      `checkpoint at LSN ${report.checkpointLsn}: ${report.snapshotFileCount} snapshot files, ${report.snapshotBytes} bytes\n` +
        `log: ${report.recordCount} records, ${report.logBytes} bytes, last LSN ${report.lastLsn}` +
        `${report.tornTailBytes > 0 ? `, unfinished last write of ${report.tornTailBytes} bytes` : ''}\n`,
    );
    for (const fault of report.faults) out.write(`${fault}\n`);
    out.write(report.faults.length === 0 ? 'sound\n' : `${report.faults.length} faults\n`);
    return report.faults.length === 0 ? 0 : 3;
  } finally {
    await lock.release();
  }
}
