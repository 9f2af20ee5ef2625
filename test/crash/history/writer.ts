/**
 * One of the writers that run when the server is killed: sends one request after the other, over HTTP and HTTPS, and
 * writes into its journal what it sends and hears. It ends when it is told to or when a request got no answer.
 * A request with an Idempotency-Key that got no answer is sent again by the next run, first of all; those that got
 * one are sent again now and then, and two at once: each must answer the same, and take effect once.
 */
import type { Prng } from '../../../src/base/index.js';
import type { Ask, JsonClient, Reply } from '../../support/json-client.js';
import type { Heard, Journal, Op } from './journal.js';
import { ModelRequests } from './model-requests.js';
import { RowRequests } from './row-requests.js';
import { SqlRequests } from './sql-requests.js';
import { type Make, TeamRequests } from './team-requests.js';

const INSERT_SHARE = 0.52;
const UPDATE_SHARE = 0.14;
const DELETE_SHARE = 0.06;
/** Of those: sent as SQL, and of those as a script. */
const SQL_SHARE = 0.35;
const SCRIPT_SHARE = 0.4;
/** Named requests that a writer remembers to repeat. */
const NAMED_MAX = 30;
const REFUSED_STATUS = 503;
/** How long a writer waits then. */
const REFUSED_PAUSE_MS = 30;
const REUSED_CODE = 9001;

/** What two answers to one named request say together. */
const ORDER_OF_TRUST: readonly Heard[] = ['acknowledged', 'nothing', 'refused'];

/** A named request, and the index of its entry. */
export interface Named {
  readonly op: Op;
  readonly index: number;
}

export interface WriterParts {
  readonly journal: Journal;
  /** What earlier runs of this writer sent under a name, and was acknowledged. */
  readonly named: Named[];
  readonly prng: Prng;
  readonly round: number;
  readonly teamKey: string;
  /** Told of an answer that is not what it must be. */
  readonly wrong: (text: string) => void;
  /** Told of each repeat that was answered as the first. */
  readonly repeated: () => void;
  /** Told of each answer with HTTP 503. */
  readonly refused?: (reply: Reply) => void;
}

export class Writer {
  readonly #parts: WriterParts;
  readonly #rows: RowRequests;
  readonly #sql: SqlRequests;
  readonly #model: ModelRequests;
  readonly #team: TeamRequests;
  stopped = false;

  constructor(parts: WriterParts) {
    const { journal, prng, round, teamKey } = parts;
    this.#parts = parts;
    this.#rows = new RowRequests(journal, prng, round);
    this.#sql = new SqlRequests(this.#rows, journal, prng);
    this.#model = new ModelRequests(journal, prng);
    this.#team = new TeamRequests(journal, prng, teamKey);
  }

  /** Resolves when the server answers no more, or after `stopped` was set. Throws at an answer that must not be. */
  async run(client: JsonClient): Promise<void> {
    const { journal, named, prng, round } = this.#parts;
    if (!(await this.repeatPending(client))) return;
    while (!this.stopped) {
      if (named.length > 0 && prng.chance(0.04)) {
        if ((await this.#repeat(client, prng.pick(named))) === 'nothing') return;
        continue;
      }
      const op = this.#next();
      const index = journal.begin(round, op);
      const twice = isNamed(op) && prng.chance(0.15);
      const heards = await Promise.all([this.#send(client, op), ...(twice ? [this.#send(client, op)] : [])]);
      const heard = ORDER_OF_TRUST.find((one) => heards.includes(one)) ?? 'nothing';
      journal.hear(index, heard);
      if (heard === 'acknowledged' && isNamed(op)) this.#remember({ op, index });
      if (heards.includes('nothing')) return;
    }
  }

  /** Sends the named requests again whose fate is not known. False when the server answers no more. */
  async repeatPending(client: JsonClient): Promise<boolean> {
    const { journal } = this.#parts;
    for (const index of [...journal.pending]) {
      const { op } = journal.entries[index];
      if (!isNamed(op)) continue;
      const heard = await this.#repeat(client, { op, index });
      if (heard === 'nothing') return false;
      if (heard !== 'acknowledged') continue;
      journal.hear(index, heard);
      this.#remember({ op, index });
    }
    return true;
  }

  #next(): Op {
    const { journal, prng } = this.#parts;
    // Something may or may not have happened: only what does not depend on it.
    if (journal.pending.length > 0) return this.#insert(true);
    const dice = prng.unit();
    const make: Make =
      dice < INSERT_SHARE
        ? () => null
        : dice < INSERT_SHARE + UPDATE_SHARE
          ? () => (prng.chance(SQL_SHARE) ? this.#sql : this.#rows).update()
          : dice < INSERT_SHARE + UPDATE_SHARE + DELETE_SHARE
            ? () => (prng.chance(SQL_SHARE) ? this.#sql : this.#rows).delete()
            : prng.pick([...this.#model.all, ...this.#team.all]);
    return make() ?? this.#insert(false);
  }

  #insert(fresh: boolean): Op {
    const { prng } = this.#parts;
    if (!prng.chance(SQL_SHARE)) return this.#rows.insert(fresh);
    return prng.chance(SCRIPT_SHARE) ? this.#sql.script(fresh) : this.#sql.insert(fresh);
  }

  #remember(named: Named): void {
    const all = this.#parts.named;
    if (all.length < NAMED_MAX) all.push(named);
    else all[this.#parts.prng.below(NAMED_MAX)] = named;
  }

  /** Now and then with another body, which must be refused when the first is known to be there. */
  async #repeat(client: JsonClient, { op, index }: Named): Promise<Heard> {
    const { journal, prng, wrong, repeated } = this.#parts;
    if (journal.entries[index].applied === true && prng.chance(0.2)) {
      const reply = await replyOf(client, {
        ...op.ask,
        text: `${op.ask.text ?? JSON.stringify(op.ask.body)} `,
      });
      if (reply === null) return 'nothing';
      const { errors } = reply.body as { errors?: readonly { code: number }[] };
      if (reply.status !== REFUSED_STATUS && errors?.[0]?.code !== REUSED_CODE) {
        wrong(`${op.kind} ${op.what} under its name with another body: ${JSON.stringify(reply.body)}`);
      }
    }
    const heard = await this.#send(client, op);
    if (heard === 'acknowledged') repeated();
    return heard;
  }

  async #send(client: JsonClient, op: Op): Promise<Heard> {
    const reply = await replyOf(client, op.ask);
    if (reply === null) return 'nothing';
    const { status, body } = reply;
    if (status === REFUSED_STATUS) {
      this.#parts.refused?.(reply);
      await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS));
      return 'refused';
    }
    if (status !== 200) throw new Error(`${op.kind} ${op.what}: HTTP ${status}, ${JSON.stringify(body)}`);
    const numbers = numbersOf(body);
    for (const [member, number] of Object.entries(op.answer ?? {})) {
      if (numbers[member] === number) continue;
      this.#parts.wrong(`${op.kind} ${op.what} answers ${member} ${numbers[member]}, not ${number}`);
    }
    op.learn?.(body);
    return 'acknowledged';
  }
}

const isNamed = ({ ask }: Op): boolean => ask.headers?.['idempotency-key'] !== undefined;

/** The numbers of an answer, of a script added up over its statements. */
function numbersOf(body: unknown): Readonly<Record<string, unknown>> {
  const { result, ...all } = body as Record<string, unknown>;
  if (!Array.isArray(result)) return { ...all, ...(result as Record<string, unknown> | undefined) };
  const sums: Record<string, number> = {};
  for (const one of result as readonly { result: Readonly<Record<string, number>> }[]) {
    for (const [name, number] of Object.entries(one.result)) sums[name] = (sums[name] ?? 0) + number;
  }
  return sums;
}

/** The server's answer, or null when none came. */
async function replyOf(client: JsonClient, ask: Ask): Promise<Reply | null> {
  try {
    return await client.ask(ask);
  } catch {
    return null;
  }
}
