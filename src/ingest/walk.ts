/**
 * The walk over a body: one pass that checks all entities and values and appends them to the builders.
 * Invariants: only valid JSON is accepted. The thrown error is the first semantic error of the document; on broken syntax any
 * error may be thrown, because the caller checks the syntax of the body before it reports an error. Auto-create is handled
 * elsewhere: the tables already contain the objects to be created.
 */
import { ENTITIES_PER_INSERT_MAX, quoted, TEXT_POINTS_MAX, type WireError } from '../base/index.js';
import { EntityReader } from './entity.js';
import { AUTO_CREATE } from './infer/auto-create.js';
import { InsertError, syntaxError } from './insert-error.js';
import { skipColon, skipValue, stringAt, unexpected } from './json.js';
import type { ParseContext } from './parse.js';
import type { IngestScratch } from './scratch.js';
import { CLOSE_OBJECT, COMMA, OPEN_OBJECT, QUOTE, type Source, skipSpace, wordOf } from './source.js';
import type { ModelTables } from './tables.js';

const AUTO_WORDS = [wordOf('auto'), wordOf('-cre'), wordOf('ate"')];

export class InsertWalk {
  entityCount = 0;
  /** Offsets of the values of "auto-create" keys. */
  readonly autoCreateAt: number[] = [];
  readonly #scratch: IngestScratch;
  readonly #source: Source;
  readonly #tables: ModelTables;
  readonly #entities: EntityReader;
  /** For messages: the ID of the current entity has been read. */
  #inEntity = false;

  constructor(scratch: IngestScratch, tables: ModelTables, nowMs: number, seek: boolean) {
    this.#scratch = scratch;
    this.#source = scratch.source;
    this.#tables = tables;
    this.#entities = new EntityReader(scratch, tables, nowMs, seek);
    scratch.ids.clear();
  }

  get valueCount(): number {
    return this.#entities.valueCount;
  }

  /** Whether an entity has a "dimension" key after its first key. */
  get lateDimensionSeen(): boolean {
    return this.#entities.lateDimensionSeen;
  }

  /** Walks the whole body. Throws InsertError. */
  run(): void {
    const { bytes } = this.#source;
    let at = skipSpace(bytes, 0);
    if (bytes[at] !== OPEN_OBJECT) throw syntaxError(at, 'the body must be one JSON object of entities');
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

  /** Returns the error with the names of the current entity (or "set") and column. */
  describe(error: InsertError, subject: ParseContext['subject']): WireError {
    if (error.code === 1503 || !this.#inEntity) return { code: error.code, message: error.text };
    const { slot } = this.#entities;
    const named = subject === 'set' ? '"set"' : `entity ${quoted(this.#scratch.ids.text)}`;
    const column = slot < 0 ? '' : `, column ${quoted(this.#tables.columns[slot].apiName)}`;
    return { code: error.code, message: `${named}${column}: ${error.text}` };
  }

  /** Reads one member of the body, whose key's quote is at `keyAt`, and returns the offset after its value. */
  #member(keyAt: number): number {
    const source = this.#source;
    const { ids } = this.#scratch;
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
    let at = ids.read(source, keyAt);
    if (ids.points === 0) throw new InsertError(2003, keyAt, 'an entity ID is empty');
    if (ids.points > TEXT_POINTS_MAX) {
      const shown = new TextDecoder().decode(source.bytes.subarray(keyAt + 1, keyAt + 161));
      throw new InsertError(
        2008,
        keyAt,
        `the entity ID ${quoted(shown)} is longer than ${TEXT_POINTS_MAX} characters`,
      );
    }
    if (at - keyAt !== AUTO_CREATE.length + 2 && ids.end - ids.from === AUTO_CREATE.length) {
      // A key with escapes may also be the reserved key.
      if (stringAt(source, keyAt) === AUTO_CREATE) {
        return this.#autoCreate(skipColon(source, at));
      }
    }
    this.#entities.slot = -1;
    this.#inEntity = true;
    if (this.entityCount === ENTITIES_PER_INSERT_MAX) {
      throw new InsertError(2012, keyAt, `the request has more than ${ENTITIES_PER_INSERT_MAX} entities`);
    }
    at = this.#entities.read(skipColon(source, at), keyAt);
    this.entityCount++;
    return at;
  }

  #autoCreate(valueAt: number): number {
    this.autoCreateAt.push(valueAt);
    return skipValue(this.#source, valueAt, 1);
  }
}
