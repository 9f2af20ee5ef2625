/** The properties of the machine that affect the results, without its name and address. */
import os from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly system: string;
  readonly node: string;
  /** Load average of the last minute before the run: above 0.5 the results are too low. */
  readonly loadBefore: number;
}

export function thisMachine(): Machine {
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGigabytes: Math.round(os.totalmem() / 1e9),
    system: `${os.type()} ${os.arch()}`,
    node: process.version,
    loadBefore: os.loadavg()[0],
  };
}

export const machineText = (machine: Machine): string =>
  `${machine.cores} cores (${machine.cpu}), ${machine.memoryGigabytes} GB, ${machine.system}, Node ${machine.node}, ` +
  `load before the run ${machine.loadBefore.toFixed(1)}`;
