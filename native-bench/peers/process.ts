/** A Peer in another process, whose calls go through Node's IPC channel. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CsvFiles } from '../data/peers.js';
import { codeBytesOf } from '../measure.js';
import type { Peer, Timed } from './peer.js';

export type PeerName = 'DuckDB' | 'ClickHouse';

export interface PeerCall {
  readonly id: number;
  readonly method: keyof Peer;
  readonly args: readonly unknown[];
}

export type PeerReply = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class PeerProcess implements Peer {
  readonly name: PeerName;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;

  readonly #dir: string;

  /** `dir` belongs to the peer and must not exist, unless an earlier process stored data in it (`kept`). */
  constructor(name: PeerName, dir: string, how: 'new' | 'kept' = 'new') {
    this.name = name;
    this.#dir = dir;
    const args = how === 'kept' ? [name, dir, how] : [name, dir];
    this.#child = fork(fileURLToPath(new URL('./main.js', import.meta.url)), args);
    this.#child.on('message', (reply: PeerReply) => this.#take(reply));
    this.#ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        for (const { reject } of this.#waiting.values())
          reject(new Error(`${name} ended with ${code ?? signal}`));
        this.#waiting.clear();
        resolve();
      });
    });
  }

  version(): Promise<string> {
    return this.#call('version') as Promise<string>;
  }

  ingest(way: string, warmFile: string, file: string): Promise<Timed> {
    return this.#call('ingest', way, warmFile, file) as Promise<Timed>;
  }

  load(files: CsvFiles): Promise<void> {
    return this.#call('load', files) as Promise<void>;
  }

  async keep(): Promise<void> {
    await this.#call('keep');
  }

  /** Starts another process on the stored data of this one, which must have ended. */
  again(): PeerProcess {
    return new PeerProcess(this.name, this.#dir, 'kept');
  }

  async loadTexts(table: string, file: string): Promise<void> {
    await this.#call('loadTexts', table, file);
  }

  residentBytes(): Promise<number> {
    return this.#call('residentBytes') as Promise<number>;
  }

  /** Bytes of the executable and of native libraries. */
  codeBytes(): number {
    return codeBytesOf(this.#child.pid as number);
  }

  query(sql: string): Promise<number> {
    return this.#call('query', sql) as Promise<number>;
  }

  time(sql: string, times: number, expected: number): Promise<number[]> {
    return this.#call('time', sql, times, expected) as Promise<number[]>;
  }

  /** Ends the process; a call in flight rejects. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #call(method: keyof Peer, ...args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      const call: PeerCall = { id, method, args };
      this.#child.send(call, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  #take(reply: PeerReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting?.reject(new Error(`${this.name}: ${reply.error}`));
    else waiting?.resolve(reply.value);
  }
}
