/**
 * The messages of a session, of which those after COPY ... FROM STDIN bring its rows.
 * Invariant: a message is handled when the one before it has been, or waits for the rows of a COPY.
 */
import { ProtocolError } from '../../protocol/errors.js';
import type { Frame } from '../../protocol/frames.js';
import type { MessageReader } from '../../protocol/message-reader.js';
import type { CopyIn } from './copy-in.js';

const kindOf = (letter: string): number => letter.charCodeAt(0);

/** The text of CopyFail, which may be in any encoding. */
const reasonIn = ({ bytes }: MessageReader): string => bytes.toString('utf8').replace(/\0.*/s, '');

export class CopyMessages {
  readonly #message: (frame: Frame) => Promise<void>;
  /** The COPY whose rows the client sends. */
  #copy: CopyIn | null = null;
  /** Called when a message waits for the rows of a COPY. */
  #copyBegins = (): void => {};
  /** The message that waits for the rows of a COPY. */
  #unfinished: Promise<void> | null = null;

  /** `message` handles a message that is not one of a COPY. */
  constructor(message: (frame: Frame) => Promise<void>) {
    this.#message = message;
  }

  async handle(frame: Frame): Promise<void> {
    if (this.#unfinished === null) return this.#untilCopy(this.#message(frame));
    return this.#copyMessage(frame, this.#unfinished);
  }

  fail(error: unknown): void {
    this.#copy?.fail(error);
  }

  begin(copy: CopyIn): void {
    this.#copy = copy;
    this.#copyBegins();
  }

  end(): void {
    this.#copy = null;
  }

  /** Resolves when `message` has been handled, or waits for the rows of a COPY. */
  async #untilCopy(message: Promise<void>): Promise<void> {
    const copying = new Promise<void>((resolve) => {
      this.#copyBegins = resolve;
    });
    this.#unfinished = message;
    const handled = message.finally(() => {
      this.#unfinished = null;
    });
    handled.catch(() => {});
    await Promise.race([handled, copying]);
  }

  /** Handles a message while `unfinished` waits for the rows of a COPY. Flush and Sync have no effect then. */
  async #copyMessage(frame: Frame, unfinished: Promise<void>): Promise<void> {
    const { kind, body } = frame;
    if (kind === kindOf('d')) {
      this.#copy?.data(body.bytes);
      // The error of a row is sent at once.
      await this.#whenSettled();
      return;
    }
    if (kind === kindOf('S') || kind === kindOf('H')) return;
    if (kind === kindOf('c')) this.#copy?.done();
    else if (kind === kindOf('f')) {
      this.#copy?.fail(new ProtocolError('57014', `COPY from stdin failed: ${reasonIn(body)}`));
    } else this.#copy?.fail(new ProtocolError('08P01', 'unexpected message during COPY from stdin'));
    await this.#untilCopy(unfinished);
    if (![kindOf('c'), kindOf('f')].includes(kind)) await this.handle(frame);
  }

  /** Waits for the end of a COPY that has failed. */
  async #whenSettled(): Promise<void> {
    if (this.#copy?.isOver === true && this.#unfinished !== null) await this.#untilCopy(this.#unfinished);
  }
}
