/**
 * The part of the WebAssembly JavaScript API that Quarry uses. TypeScript declares it only together with the browser's DOM;
 * @types/node 20 lacks it.
 */
declare namespace WebAssembly {
  interface MemoryDescriptor {
    /** Pages of 64 KiB. */
    initial: number;
    maximum?: number;
    shared?: boolean;
  }

  class Memory {
    constructor(descriptor: MemoryDescriptor);
    readonly buffer: ArrayBuffer;
    /** Detaches the buffer. Throws RangeError if the memory cannot grow by this number of pages. */
    grow(pages: number): number;
  }

  class Module {
    constructor(bytes: ArrayBufferView | ArrayBuffer);
    static imports(module: Module): { module: string; name: string; kind: string }[];
    static exports(module: Module): { name: string; kind: string }[];
  }

  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  /** A trap of a running module. */
  class RuntimeError extends Error {}
}
