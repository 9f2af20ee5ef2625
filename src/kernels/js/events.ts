/** Twins of wasm/events.ts, which documents layouts and Needs. `state` is the index of a word. */
import { FOLLOW_STATE as F, FOLLOW_MODES, INEXACT, SELECT_STATE as S, UNLIMITED } from '../event-states.js';

type Codes = Uint8Array | Uint16Array | Uint32Array;

/** `isMasked`: the codes are masks. */
export function selectEvents(
  codes: Codes,
  words: Uint32Array,
  state: number,
  entityCount: number,
  isMasked = false,
): number {
  const wordAt = (name: keyof typeof S): number => words[state + S[name]] >>> 2;
  const firstCode = words[state + S.codes] / codes.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(words.buffer);
  const rows = words[state + S.rows];
  const first = words[state + S.first];
  const isNumbered = words[state + S.outEvents] !== 0;
  let count = 0;
  words[wordAt('outStarts')] = 0;
  for (let entity = 0; entity < entityCount; entity++) {
    const row = words[state + S.row] + entity;
    const starts = wordAt('starts') + entity;
    if (rows === 0 || ((bytes[rows + (row >>> 3)] >> (row & 7)) & 1) === 1) {
      for (let event = words[starts]; event < words[starts + 1]; event++) {
        const code = codes[firstCode + event - first];
        const mask = isMasked ? code : words[wordAt('table') + code];
        words[wordAt('outDates') + count] = words[wordAt('dates') + event - first];
        words[wordAt('outMasks') + count] = mask;
        if (isNumbered) words[wordAt('outEvents') + count] = event;
        if (mask !== 0) count++;
      }
    }
    words[wordAt('outStarts') + entity + 1] = count;
  }
  return count;
}

class Follower {
  readonly #words: Uint32Array;
  readonly #state: number;
  readonly #dates: number;
  readonly #stepCount: number;
  readonly #within: number;

  constructor(words: Uint32Array, state: number) {
    this.#words = words;
    this.#state = state;
    this.#dates = this.#get('dates') >>> 2;
    this.#stepCount = this.#get('stepCount');
    this.#within = this.#get('within');
  }

  #get(name: keyof typeof F): number {
    return this.#words[this.#state + F[name]];
  }

  #set(name: keyof typeof F, value: number): void {
    this.#words[this.#state + F[name]] = value;
  }

  run(entityCount: number): number {
    const [starts, limits] = [this.#get('starts') >>> 2, this.#get('limits') >>> 2];
    const stride = this.#stepCount + 2;
    const begin = this.#get('out') >>> 2;
    const outEnd = begin + this.#get('capacity') * stride;
    let out = begin;
    let entity = this.#get('entity');
    for (; entity < entityCount && out < outEnd; entity++) {
      const [from, end] = [this.#words[starts + entity], this.#words[starts + entity + 1]];
      const limit = limits === 0 ? this.#stepCount : this.#words[limits + entity];
      if (from === end || limit === 0) continue;
      const cursor = this.#get('cursor');
      if (cursor === UNLIMITED && !this.#begin(from, end)) {
        this.#words[out] = entity;
        this.#words[out + 1] = INEXACT;
        out += stride;
        continue;
      }
      const range = { entity, end, limit, from: cursor === UNLIMITED ? from : cursor };
      if (this.#get('mode') !== FOLLOW_MODES.every) {
        if (this.#one(range, out)) out += stride;
        continue;
      }
      out = this.#every(range, out, outEnd);
      if (this.#get('cursor') !== UNLIMITED) break;
    }
    this.#set('entity', entity);
    return (out - begin) / stride;
  }

  /** Returns whether the search is exact for the entity. */
  #begin(from: number, end: number): boolean {
    if (this.#get('distinct') === 0) {
      for (let at = from + 1; at < end; at++) {
        if (this.#words[this.#dates + at] === this.#words[this.#dates + at - 1]) return false;
      }
    }
    this.#set('touched', 0);
    this.#set('least', this.#get('from'));
    return true;
  }

  #startFrom(from: number, end: number): number {
    const masks = this.#get('low') >>> 2;
    for (let at = from; at < end; at++) {
      const date = this.#words[this.#dates + at];
      if (date > this.#get('to')) return end;
      if (date >= this.#get('least') && (this.#words[masks + at] & 1) === 1) return at;
    }
    return end;
  }

  #follow(start: number, { end, limit }: EntityRange): number {
    const words = this.#words;
    let date = words[this.#dates + start];
    const latest = this.#within === UNLIMITED ? UNLIMITED : date + this.#within;
    const [found, next] = [this.#state + F.found, this.#state + F.next];
    let touched = this.#get('touched');
    words[found] = date;
    let step = 1;
    for (; step < limit; step++) {
      const masks = this.#get(step < 32 ? 'low' : 'high') >>> 2;
      let at = step < touched ? words[next + step] : start + 1;
      while (
        at < end &&
        (words[this.#dates + at] <= date || ((words[masks + at] >>> (step & 31)) & 1) === 0)
      ) {
        at++;
      }
      words[next + step] = at;
      touched = Math.max(touched, step + 1);
      if (at === end) break;
      date = words[this.#dates + at];
      if (date > latest) break;
      words[found + step] = date;
    }
    this.#set('touched', touched);
    return step;
  }

  #note(entity: number, length: number, record: number): void {
    const found = this.#state + F.found;
    this.#words[record] = entity;
    this.#words[record + 1] = length;
    this.#words.copyWithin(record + 2, found, found + length);
  }

  #one(range: EntityRange, record: number): boolean {
    const { entity, from, end } = range;
    const isBest = this.#get('mode') === FOLLOW_MODES.best && this.#within !== UNLIMITED;
    let length = 0;
    for (let start = this.#startFrom(from, end); start < end; start = this.#startFrom(start + 1, end)) {
      const reached = this.#follow(start, range);
      if (reached > length) {
        length = reached;
        this.#note(entity, length, record);
      }
      if (!isBest || length === this.#stepCount) break;
    }
    return length > 0;
  }

  #every(range: EntityRange, firstOut: number, outEnd: number): number {
    const { entity, from, end } = range;
    let out = firstOut;
    for (let start = this.#startFrom(from, end); start < end; start = this.#startFrom(start, end)) {
      if (out === outEnd) {
        this.#set('cursor', start);
        return out;
      }
      const length = this.#follow(start, range);
      this.#note(entity, length, out);
      out += this.#stepCount + 2;
      const isComplete = length === this.#stepCount;
      if (!isComplete && this.#within === UNLIMITED) break;
      const found = this.#state + F.found;
      const last = isComplete ? this.#words[found + this.#stepCount - 1] : this.#words[found] + this.#within;
      if (last >= UNLIMITED) break;
      this.#set('least', last + 1);
    }
    this.#set('cursor', UNLIMITED);
    return out;
  }
}

interface EntityRange {
  readonly entity: number;
  readonly from: number;
  readonly end: number;
  readonly limit: number;
}

export const followSteps = (words: Uint32Array, state: number, entityCount: number): number =>
  new Follower(words, state).run(entityCount);
