/**
 * Collects garbage of queries while the process is near its limit. The collector of a thread does not count shared
 * memory, in which rows and groups go from thread to thread, so it would leave what queries no longer use for minutes.
 * Only for small limits: there the heap of a thread is collected in a few milliseconds.
 */
import v8 from 'node:v8';
import vm from 'node:vm';

/** Limits below this are small. */
export const SMALL_PROCESS_BYTES = 2 ** 30;
/** Memory that should be free before a query starts. */
const FREE_BYTES_MIN = 96 * 2 ** 20;
const INTERVAL_MS = 100;

export interface GarbageSources {
  readonly collect: () => void;
  /** The resident memory of the process in bytes. */
  readonly look: () => number;
  readonly elapsedMs: () => number;
}

/** Gives the function of this thread that collects garbage. */
function createCollector(): () => void {
  let collect: (() => void) | null = null;
  return () => {
    if (collect === null) {
      v8.setFlagsFromString('--expose-gc');
      collect = vm.runInNewContext('gc') as () => void;
    }
    collect();
  };
}

export class GarbageCollection {
  readonly #bytesMax: number;
  readonly #sources: GarbageSources;
  #collectedMs = Number.NEGATIVE_INFINITY;

  /** `bytesMax`: the limit of the process. */
  constructor(bytesMax: number, sources: Partial<GarbageSources> = {}) {
    this.#bytesMax = bytesMax;
    this.#sources = {
      collect: createCollector(),
      look: () => process.memoryUsage.rss(),
      elapsedMs: () => performance.now(),
      ...sources,
    };
  }

  /** Called when a query has released memory on this thread. */
  check(): void {
    if (this.#bytesMax >= SMALL_PROCESS_BYTES) return;
    const { collect, look, elapsedMs } = this.#sources;
    const nowMs = elapsedMs();
    if (nowMs - this.#collectedMs < INTERVAL_MS || look() < this.#bytesMax - FREE_BYTES_MIN) return;
    this.#collectedMs = nowMs;
    collect();
  }
}
