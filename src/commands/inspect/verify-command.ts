/** `quarry verify DIR`: checks all checksums of a data directory that no server has open. */
import path from 'node:path';
import { verifyStore } from '../../inspect/index.js';
import { lockDirectory, NodeFileSystem } from '../../io/index.js';
import { requireStore } from '../../recovery/index.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { NO_PROGRESS, startBar } from '../progress.js';

export const verifyHelp = `quarry verify DIR

Reads the manifest, every snapshot file and every log record of the data directory DIR and checks them. Changes
nothing.

  quarry verify /var/lib/quarry

Exit code 0: sound; 1: DIR holds no store, cannot be read, or is open in another process; 2: wrong arguments; 3: damaged,
each error is printed on a line.
`;

export async function verifyCommand(
  argv: readonly string[],
  { out, usage, stderr }: Pick<CommandContext, 'out' | 'usage' | 'stderr'>,
): Promise<ExitCode> {
  if (argv.length !== 1 || argv[0] === '' || argv[0].startsWith('-'))
    usage('verify takes one argument, the data directory');
  const dir = path.resolve(argv[0]);
  const fs = new NodeFileSystem();
  await requireStore(fs, dir);
  const lock = await lockDirectory(dir);
  try {
    let bar = NO_PROGRESS;
    const report = await verifyStore(fs, dir, {
      begins: (total) => {
        bar = startBar(stderr, { what: 'verify', total, unit: 'bytes' }, () => performance.now());
      },
      read: (bytes) => bar.add(bytes),
    }).finally(() => bar.stop());
    out(
      `checkpoint at LSN ${report.checkpointLsn}: ${report.snapshotFileCount} snapshot files, ${report.snapshotBytes} bytes\n` +
        `log: ${report.recordCount} records, ${report.logBytes} bytes, last LSN ${report.lastLsn}` +
        `${report.tornTailBytes > 0 ? `, unfinished last write of ${report.tornTailBytes} bytes` : ''}\n`,
    );
    for (const fault of report.faults) out(`${fault}\n`);
    out(report.faults.length === 0 ? 'sound\n' : `${report.faults.length} faults\n`);
    return report.faults.length === 0 ? EXIT.done : EXIT.corrupt;
  } finally {
    await lock.release();
  }
}

export { verifyCommand as run, verifyHelp as help };
