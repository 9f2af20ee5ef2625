/** A client of server-sent events that records what it receives and can stop reading. */
import type { IncomingMessage } from 'node:http';
import https from 'node:https';

export interface ReceivedEvent {
  /** `message` if the event has no name. */
  readonly name: string;
  /** null = none. */
  readonly id: number | null;
  /** The data, parsed, without the member `took`. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface StreamRequest {
  readonly port: number;
  readonly key: string;
  /** With the query of the URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class EventClient {
  readonly events: ReceivedEvent[] = [];
  commentCount = 0;
  /** The server has ended the stream, or the connection is lost. */
  isOver = false;
  readonly #response: IncomingMessage;
  #rest = '';
  #wake: (() => void) | null = null;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    const over = (): void => {
      this.isOver = true;
      this.#wake?.();
    };
    response.on('error', () => {});
    response.on('close', over);
    response.on('end', over);
  }

  /** Opens a stream. Rejects with the status and body of any other answer. */
  static open({ port, key, path, headers = {} }: StreamRequest): Promise<EventClient> {
    return new Promise((resolve, reject) => {
      const options = {
        ...{ host: '127.0.0.1', port, path, agent: false, rejectUnauthorized: false },
        headers: { Authorization: key, Accept: 'text/event-stream', ...headers },
      };
      const sent = https.get(options, (response) => {
        if (response.statusCode === 200) {
          resolve(new EventClient(response));
          return;
        }
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          body += text;
        });
        response.on('end', () => reject(new Error(`${response.statusCode} ${body}`)));
      });
      sent.on('error', reject);
    });
  }

  get headers(): IncomingMessage['headers'] {
    return this.#response.headers;
  }

  /** Answers, without notices. */
  get answers(): readonly ReceivedEvent[] {
    return this.events.filter(({ name }) => name === 'message');
  }

  get last(): ReceivedEvent | undefined {
    return this.answers.at(-1);
  }

  /** Resolves when `isThere` holds. Rejects if the stream ends before. */
  async until(isThere: (client: EventClient) => boolean): Promise<void> {
    while (!isThere(this)) {
      if (this.isOver) throw new Error(`the stream ended after ${JSON.stringify(this.events.slice(-2))}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Resolves when the stream is over. */
  async over(): Promise<void> {
    while (!this.isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Stops to read. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  close(): void {
    this.#response.destroy();
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#block(block);
    this.#wake?.();
  }

  #block(block: string): void {
    const lines = block.split('\n');
    const valuesOf = (name: string): string[] =>
      lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
    if (lines.some((line) => line.startsWith(':'))) this.commentCount++;
    const data = valuesOf('data');
    if (data.length === 0) return;
    const { took: _, ...members } = JSON.parse(data.join('\n')) as Record<string, unknown>;
    const [id] = valuesOf('id');
    const [name = 'message'] = valuesOf('event');
    this.events.push({ name, id: id === undefined ? null : Number(id), data: members });
  }
}
