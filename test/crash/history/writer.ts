/**
 * A writer that runs while the server is killed: sends one request after the other, over HTTP and HTTPS, and records
 * requests and answers in its journal. It ends when it is stopped or when a request gets no answer.
 * The next run first repeats the requests with an Idempotency-Key that got no answer; answered ones are repeated at
 * random, also two at once: each must get the same answer and take effect once.
 */
import type { Prng } from '../../../src/base/index.js';
import type { ApiRequest, JsonClient, Reply } from '../../support/json-client.js';
import type { Heard, Journal, Op } from './journal.js';
import { ModelRequests } from './model-requests.js';
import { RowRequests } from './row-requests.js';
import { SqlRequests } from './sql-requests.js';
import { type Make, TeamRequests } from './team-requests.js';

const INSERT_SHARE = 0.52;
const UPDATE_SHARE = 0.14;
const DELETE_SHARE = 0.06;
/** Share of the writes that are sent as SQL, and of those that are a script. */
const SQL_SHARE = 0.35;
const SCRIPT_SHARE = 0.4;
/** Named requests that a writer remembers to repeat. */
const NAMED_MAX = 30;
const REFUSED_STATUS = 503;
/** Pause of a writer after HTTP 503. */
const REFUSED_PAUSE_MS = 30;
const REUSED_CODE = 9001;

/** The combined outcome of two answers to one named request: the first of this order that one of them has. */
const ORDER_OF_TRUST: readonly Heard[] = ['acknowledged', 'nothing', 'refused'];

/** A named request, and the index of its entry. */
export interface Named {
  readonly op: Op;
  readonly index: number;
}

export interface WriterParts {
  readonly journal: Journal;
  /** Acknowledged requests with an Idempotency-Key of earlier runs of this writer. */
  readonly named: Named[];
  readonly prng: Prng;
  readonly round: number;
  readonly teamKey: string;
  /** Called with a description of each wrong answer. */
  readonly wrong: (text: string) => void;
  /** Called for each repeat with the same answer as the first request. */
  readonly repeated: () => void;
  /** Called with each answer with HTTP 503. */
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

  /** Resolves when the server no longer answers, or after `stopped` was set. Throws at a wrong answer. */
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

  /** Repeats the named requests with an unknown outcome. False when the server no longer answers. */
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
    // While an outcome is unknown, only requests that do not depend on it are sent.
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

  /** At random with another body, which must be refused when the first request is known to have taken effect. */
  async #repeat(client: JsonClient, { op, index }: Named): Promise<Heard> {
    const { journal, prng, wrong, repeated } = this.#parts;
    if (journal.entries[index].applied === true && prng.chance(0.2)) {
      const reply = await replyOf(client, {
        ...op.request,
        text: `${op.request.text ?? JSON.stringify(op.request.body)} `,
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
    const reply = await replyOf(client, op.request);
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

const isNamed = ({ request }: Op): boolean => request.headers?.['idempotency-key'] !== undefined;

/** The numbers of an answer; those of a script are summed over its statements. */
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
async function replyOf(client: JsonClient, request: ApiRequest): Promise<Reply | null> {
  try {
    return await client.request(request);
  } catch {
    return null;
  }
}
