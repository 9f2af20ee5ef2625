/** How the CPU time of ingest is divided among threads, and what is full first on a machine with more cores. */

/** CPU seconds per million entities. */
export interface ThreadSeconds {
  readonly main: number;
  readonly all: number;
}

const CORES = [8, 16];

/** Entities/s at which all cores are busy, and at which the main thread is, if the CPU time of an entity stays as it is. */
export function boundsOf({ main, all }: ThreadSeconds, cores: number): { cores: number; main: number } {
  return { cores: (cores / all) * 1e6, main: 1e6 / main };
}

const millions = (perSecond: number): string => `${(perSecond / 1e6).toFixed(2)} M/s`;

export function threadsNote(name: string, seconds: ThreadSeconds): string {
  const share = `${name}: ${seconds.main.toFixed(2)} of ${seconds.all.toFixed(2)} CPU s per million in the main thread`;
  const bounds = CORES.map((count) => {
    const { cores, main } = boundsOf(seconds, count);
    const first = main < cores ? `main is full first, at ${millions(main)}` : `the cores are full first`;
    return `${count} cores would do ${millions(cores)}: ${first}`;
  });
  return [share, ...bounds].join('; ');
}
