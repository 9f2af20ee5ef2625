/**
 * The walk over a body: one pass that checks every entity and value and appends them to the builders.
 * Invariants: it accepts only what is valid JSON as a whole; the fault that it throws is the first in the document
 * by meaning, but the caller checks the body's syntax before answering it, so that on a broken token any fault will
 * do. Auto-create has no place here: what is to be created is in the tables before a walk that relies on it.
 */
import { ENTITIES_PER_INSERT_MAX, quoted, TEXT_POINTS_MAX, type WireError } from '../base/index.js';
import { AUTO_CREATE } from './auto-create.js';
import { EntityReader } from './entity.js';
import { InsertFault, syntaxFault } from './fault.js';
import { skipColon, skipValue, stringAt, unexpected } from './json.js';
import type { ParseContext } from './parse.js';
import type { IngestScratch } from './scratch.js';
import { CLOSE_OBJECT, COMMA, OPEN_OBJECT, QUOTE, type Source, skipSpace, wordOf } from './source.js';
import type { ModelTables } from './tables.js';
import { readText, sameBytes } from './text.js';

const AUTO_WORDS = [wordOf('auto'), wordOf('-cre'), wordOf('ate"')];

export class InsertWalk {
  entityCount = 0;
  /** Values of auto-create met, as places in the body. */
  readonly autoCreateAt: number[] = [];
  readonly #scratch: IngestScratch;
  readonly #source: Source;
  readonly #tables: ModelTables;
  readonly #entities: EntityReader;
  /** For messages: whether an entity's ID has been read. */
  #inEntity = false;

  constructor(scratch: IngestScratch, tables: ModelTables, nowMs: number, seek: boolean) {
    this.#scratch = scratch;
    this.#source = scratch.source;
    this.#tables = tables;
    this.#entities = new EntityReader(scratch, tables, nowMs, seek);
    scratch.ids.length = 0;
    scratch.idSlots.fill(0);
  }

  get valueCount(): number {
    return this.#entities.valueCount;
  }

  /** Whether entities named their dimension elsewhere than first. */
  get lateDimensionSeen(): boolean {
    return this.#entities.lateDimensionSeen;
  }

  /** Walks the whole body. Throws InsertFault. */
  run(): void {
    const { bytes } = this.#source;
    let at = skipSpace(bytes, 0);
    if (bytes[at] !== OPEN_OBJECT) throw syntaxFault(at, 'the body must be one JSON object of entities');
    at = skipSpace(bytes, at + 1);
    if (bytes[at] !== CLOSE_OBJECT) {
      for (;;) {
        if (bytes[at] !== QUOTE) throw unexpected(this.#source, at, 'a key in quotes');
        at = skipSpace(bytes, this.#member(at));
        if (bytes[at] === CLOSE_OBJECT) break;
        if (bytes[at] !== COMMA) throw unexpected(this.#source, at, "',' or '}'");
        at = skipSpace(bytes, at + 1);
      }
    }
    at = skipSpace(bytes, at + 1);
    if (at !== this.#source.end) throw unexpected(this.#source, at, 'the end of the body');
  }

  /** The fault as an answer: names the entity, or what stands for it, and the column that were being read. */
  describe(fault: InsertFault, subject: ParseContext['subject']): WireError {
    if (fault.code === 1503 || !this.#inEntity) return { code: fault.code, message: fault.text };
    const { ids, idEnds } = this.#scratch;
    const { slot } = this.#entities;
    const id = new TextDecoder().decode(ids.bytes.subarray(idEnds[this.entityCount], ids.length));
    const named = subject === 'set' ? '"set"' : `entity ${quoted(id)}`;
    const column = slot < 0 ? '' : `, column ${quoted(this.#tables.columns[slot].apiName)}`;
    return { code: fault.code, message: `${named}${column}: ${fault.text}` };
  }

  /** One member of the body, from the quote of its key to behind its value. */
  #member(keyAt: number): number {
    const source = this.#source;
    const { ids, idEnds } = this.#scratch;
    const { view } = source;
    this.#inEntity = false;
    if (view.getInt32(keyAt + 1, true) === AUTO_WORDS[0]) {
      if (
        view.getInt32(keyAt + 5, true) === AUTO_WORDS[1] &&
        view.getInt32(keyAt + 9, true) === AUTO_WORDS[2]
      ) {
        return this.#autoCreate(skipColon(source, keyAt + 13));
      }
    }
    const from = ids.length;
    let at = readText(source, keyAt + 1, ids);
    if (ids.points === 0) throw new InsertFault(2003, keyAt, 'an entity ID is empty');
    if (ids.points > TEXT_POINTS_MAX) {
      const shown = new TextDecoder().decode(source.bytes.subarray(keyAt + 1, keyAt + 161));
      throw new InsertFault(
        2008,
        keyAt,
        `the entity ID ${quoted(shown)} is longer than ${TEXT_POINTS_MAX} characters`,
      );
    }
    if (at - keyAt !== AUTO_CREATE.length + 2 && ids.length - from === AUTO_CREATE.length) {
      // Written with escapes, it may still be the reserved key.
      if (stringAt(source, keyAt) === AUTO_CREATE) {
        ids.length = from;
        return this.#autoCreate(skipColon(source, at));
      }
    }
    idEnds[this.entityCount] = from;
    this.#entities.slot = -1;
    this.#inEntity = true;
    if (this.entityCount === ENTITIES_PER_INSERT_MAX) {
      throw new InsertFault(2012, keyAt, `the request has more than ${ENTITIES_PER_INSERT_MAX} entities`);
    }
    const hash = ids.hash;
    this.#keepId(from, hash, keyAt);
    at = skipColon(source, at);
    at = this.#entities.read(at, from, hash);
    this.entityCount++;
    return at;
  }

  #autoCreate(valueAt: number): number {
    this.autoCreateAt.push(valueAt);
    return skipValue(this.#source, valueAt, 1);
  }

  /** Notes the ID at ids.bytes[from, ids.length) as entity `entityCount`; throws 2019 when it stood before. */
  #keepId(from: number, hash: number, keyAt: number): void {
    const { ids, idEnds, idHashes, idSlots } = this.#scratch;
    const length = ids.length - from;
    const mask = idSlots.length - 1;
    let slot = hash & mask;
    for (; idSlots[slot] !== 0; slot = (slot + 1) & mask) {
      const other = idSlots[slot] - 1;
      if (idHashes[other] !== hash || idEnds[other + 1] - idEnds[other] !== length) continue;
      if (sameBytes(ids.bytes, idEnds[other], ids.bytes, from, length)) {
        throw new InsertFault(2019, keyAt, 'the entity ID stands twice in the request');
      }
    }
    idSlots[slot] = this.entityCount + 1;
    idHashes[this.entityCount] = hash;
    idEnds[this.entityCount + 1] = ids.length;
  }
}
