/**
 * Events of a block of entities, each entity's in the order of their dates: selection by code, and the attempts of funnels. No
 * SIMD, but no bounds checks either. Both read their arguments from a state of u32 words, which ../event-states.ts names.
 */

/** Words of the state of a selection. */
// @ts-ignore: decorator
@inline
const STARTS: usize = 0, FIRST: usize = 4, ROWS: usize = 8, ROW: usize = 12, CODES: usize = 16, DATES: usize = 20, TABLE: usize = 24,
  OUT_STARTS: usize = 28, OUT_DATES: usize = 32, OUT_MASKS: usize = 36, OUT_EVENTS: usize = 40;

// @ts-ignore: decorator
@inline
function select<T>(state: usize, entityCount: u32, isMasked: bool, isNumbered: bool): u32 {
  const starts: usize = load<u32>(state, STARTS);
  const first = load<u32>(state, FIRST);
  const rows: usize = load<u32>(state, ROWS);
  const row = load<u32>(state, ROW);
  const codes: usize = load<u32>(state, CODES);
  const dates: usize = load<u32>(state, DATES);
  const table: usize = load<u32>(state, TABLE);
  const outStarts: usize = load<u32>(state, OUT_STARTS);
  const outDates: usize = load<u32>(state, OUT_DATES);
  const outMasks: usize = load<u32>(state, OUT_MASKS);
  const outEvents: usize = load<u32>(state, OUT_EVENTS);
  let count: usize = 0;
  store<u32>(outStarts, 0);
  for (let entity: u32 = 0; entity < entityCount; entity++) {
    const at = row + entity;
    if (rows == 0 || (load<u8>(rows + (at >> 3)) >> <u8>(at & 7)) & 1) {
      const end = load<u32>(starts + (<usize>entity << 2), 4);
      for (let event = load<u32>(starts + (<usize>entity << 2)); event < end; event++) {
        const local = <usize>(event - first);
        const code = <usize>load<T>(codes + local * sizeof<T>());
        const mask = isMasked ? <u32>code : load<u32>(table + (code << 2));
        store<u32>(outDates + count, load<u32>(dates + (local << 2)));
        store<u32>(outMasks + count, mask);
        if (isNumbered) store<u32>(outEvents + count, event);
        // Without a branch, which would be predicted badly.
        count += mask != 0 ? 4 : 0;
      }
    }
    store<u32>(outStarts + (<usize>entity << 2), <u32>(count >> 2), 4);
  }
  return <u32>(count >> 2);
}

/**
 * Writes, of the entities [0, entityCount) that are set in `rows`, the events whose code has a mask that is not 0; their numbers
 * unless OUT_EVENTS is 0.
 * Layout  starts: entityCount + 1 u32 of the order; one u8 code and u32 date per event from `first` on; u32 masks by code.
 * Needs   the outputs have one element more than the events of the entities; none overlaps an input.
 * Cost    O(events), about 1.3 ns each: native-bench/behaviour
 * Twin    js/events.ts
 */
export function selectEventsU8(state: usize, entityCount: u32): u32 {
  return load<u32>(state, OUT_EVENTS) == 0
    ? select<u8>(state, entityCount, false, false)
    : select<u8>(state, entityCount, false, true);
}

/** Like the previous kernel, over one u16 code per event.  Twin  js/events.ts */
export function selectEventsU16(state: usize, entityCount: u32): u32 {
  return load<u32>(state, OUT_EVENTS) == 0
    ? select<u16>(state, entityCount, false, false)
    : select<u16>(state, entityCount, false, true);
}

/** Like the previous kernel, over one u32 code per event.  Twin  js/events.ts */
export function selectEventsU32(state: usize, entityCount: u32): u32 {
  return load<u32>(state, OUT_EVENTS) == 0
    ? select<u32>(state, entityCount, false, false)
    : select<u32>(state, entityCount, false, true);
}

/** Like the previous kernel, over one u32 mask per event in place of its code.  Twin  js/events.ts */
export function selectMaskedEvents(state: usize, entityCount: u32): u32 {
  return select<u32>(state, entityCount, true, true);
}

/** Words of the state of a funnel; those from ENTITY on change. */
// @ts-ignore: decorator
@inline
const F_STARTS: usize = 0, F_DATES: usize = 4, F_LOW: usize = 8, F_HIGH: usize = 12, F_LIMITS: usize = 16, F_OUT: usize = 20,
  F_CAPACITY: usize = 24, F_STEPS: usize = 28, F_WITHIN: usize = 32, F_FROM: usize = 36, F_TO: usize = 40, F_DISTINCT: usize = 44,
  F_MODE: usize = 48, F_ENTITY: usize = 52, F_CURSOR: usize = 56, F_LEAST: usize = 60, F_TOUCHED: usize = 64, F_FOUND: usize = 68,
  F_NEXT: usize = 324;

// @ts-ignore: decorator
@inline
const UNLIMITED: u32 = 0xffffffff, BEST: u32 = 0, EVERY: u32 = 2, NO_CURSOR: u32 = 0xffffffff;

/** The index of the first event from `at` on with which an attempt may begin, or `end`. */
function startFrom(state: usize, at: u32, end: u32): u32 {
  const dates: usize = load<u32>(state, F_DATES);
  const masks: usize = load<u32>(state, F_LOW);
  const from = load<u32>(state, F_LEAST);
  const to = load<u32>(state, F_TO);
  for (; at < end; at++) {
    const date = load<u32>(dates + (<usize>at << 2));
    if (date > to) return end;
    if (date >= from && load<u32>(masks + (<usize>at << 2)) & 1) return at;
  }
  return end;
}

/** Writes the dates of the longest and earliest attempt from a start; returns its length. */
function follow(state: usize, start: u32, end: u32, limit: u32): u32 {
  const dates: usize = load<u32>(state, F_DATES);
  const within = load<u32>(state, F_WITHIN);
  let date = load<u32>(dates + (<usize>start << 2));
  const latest: u64 = within == UNLIMITED ? 0xffffffff : <u64>date + within;
  const next = state + F_NEXT;
  let touched = load<u32>(state, F_TOUCHED);
  store<u32>(state + F_FOUND, date);
  let step: u32 = 1;
  for (; step < limit; step++) {
    const masks: usize = load<u32>(state + (step < 32 ? F_LOW : F_HIGH));
    const flag: u32 = 1 << (step & 31);
    // The event that a later start takes for a step is never an earlier one.
    let at = step < touched ? load<u32>(next + (<usize>step << 2)) : start + 1;
    while (at < end && (load<u32>(dates + (<usize>at << 2)) <= date || (load<u32>(masks + (<usize>at << 2)) & flag) == 0)) at++;
    store<u32>(next + (<usize>step << 2), at);
    if (step >= touched) touched = step + 1;
    if (at == end) break;
    date = load<u32>(dates + (<usize>at << 2));
    if (<u64>date > latest) break;
    store<u32>(state + F_FOUND + (<usize>step << 2), date);
  }
  store<u32>(state, touched, F_TOUCHED);
  return step;
}

function note(state: usize, entity: u32, length: u32, record: usize): void {
  store<u32>(record, entity);
  store<u32>(record, length, 4);
  for (let step: usize = 0; step < <usize>length << 2; step += 4) {
    store<u32>(record + 8 + step, load<u32>(state + F_FOUND + step));
  }
}

/** Whether two neighbors among the events [from, end) have one date. */
function hasTies(dates: usize, from: u32, end: u32): bool {
  let at = from + 1;
  for (; at + 4 <= end; at += 4) {
    const event = dates + (<usize>at << 2);
    if (v128.any_true(i32x4.eq(v128.load(event), v128.load(event - 4)))) return true;
  }
  for (; at < end; at++) {
    if (load<u32>(dates + (<usize>at << 2)) == load<u32>(dates + (<usize>at << 2) - 4)) return true;
  }
  return false;
}

/** Writes the best attempt of an entity, or its first; returns the bytes of it. */
function one(state: usize, entity: u32, from: u32, end: u32, limit: u32, record: usize): usize {
  const steps = load<u32>(state, F_STEPS);
  const isBest = load<u32>(state, F_MODE) == BEST && load<u32>(state, F_WITHIN) != UNLIMITED;
  let length: u32 = 0;
  for (let start = startFrom(state, from, end); start < end; start = startFrom(state, start + 1, end)) {
    const reached = follow(state, start, end, limit);
    if (reached > length) {
      length = reached;
      note(state, entity, length, record);
    }
    if (!isBest || length == steps) break;
  }
  return length == 0 ? 0 : <usize>(steps + 2) << 2;
}

/** Writes the attempts of an entity one after the other, from the cursor on, up to `outEnd`; returns the end of them. */
function every(state: usize, entity: u32, from: u32, end: u32, limit: u32, out: usize, outEnd: usize): usize {
  const steps = load<u32>(state, F_STEPS);
  const within = load<u32>(state, F_WITHIN);
  const stride = <usize>(steps + 2) << 2;
  for (let start = startFrom(state, from, end); start < end; start = startFrom(state, start, end)) {
    if (out == outEnd) {
      store<u32>(state, start, F_CURSOR);
      return out;
    }
    const length = follow(state, start, end, limit);
    note(state, entity, length, out);
    out += stride;
    const isComplete = length == steps;
    if (!isComplete && within == UNLIMITED) break;
    const last: u64 = isComplete
      ? load<u32>(state + F_FOUND + (<usize>(steps - 1) << 2))
      : <u64>load<u32>(state, F_FOUND) + within;
    if (last >= 0xffffffff) break;
    store<u32>(state, <u32>last + 1, F_LEAST);
  }
  store<u32>(state, NO_CURSOR, F_CURSOR);
  return out;
}

/**
 * Writes the attempts of a funnel in order without optional steps, of the entities [ENTITY, entityCount), and advances ENTITY to
 * the first entity of which some are missing because OUT is full. An entity with two events of one date, unless the funnel wants
 * distinct instants, has one record of length 2^32 - 1: it needs another search.
 * Layout  starts: u32; per event a u32 date and one or two u32 masks, bit 0 of the first for step 1; limits: per entity the number
 *         of steps that it may take (0 = all may take all). Records: entity, length, the date of each step.
 * Needs   events of an entity ascend by date; CURSOR is 2^32 - 1 and ENTITY 0 at first; the state takes 580 bytes.
 * Cost    O(steps * events), mostly O(events).
 * Twin    js/events.ts
 */
export function followSteps(state: usize, entityCount: u32): u32 {
  const starts: usize = load<u32>(state, F_STARTS);
  const limits: usize = load<u32>(state, F_LIMITS);
  const mode = load<u32>(state, F_MODE);
  const steps = load<u32>(state, F_STEPS);
  const stride = <usize>(steps + 2) << 2;
  const begin: usize = load<u32>(state, F_OUT);
  const outEnd = begin + load<u32>(state, F_CAPACITY) * stride;
  let out = begin;
  let entity = load<u32>(state, F_ENTITY);
  const dates: usize = load<u32>(state, F_DATES);
  // Mostly no two events of the block have one date, so that not every entity needs to be looked at.
  const mayTie = load<u32>(state, F_DISTINCT) == 0
    && hasTies(dates, load<u32>(starts), load<u32>(starts + (<usize>entityCount << 2)));
  for (; entity < entityCount && out < outEnd; entity++) {
    const from = load<u32>(starts + (<usize>entity << 2));
    const end = load<u32>(starts + (<usize>entity << 2), 4);
    const limit = limits == 0 ? steps : load<u32>(limits + (<usize>entity << 2));
    if (from == end || limit == 0) continue;
    const cursor = load<u32>(state, F_CURSOR);
    if (cursor == NO_CURSOR) {
      if (mayTie && hasTies(dates, from, end)) {
        store<u32>(out, entity);
        store<u32>(out, 0xffffffff, 4);
        out += stride;
        continue;
      }
      store<u32>(state, 0, F_TOUCHED);
      store<u32>(state, load<u32>(state, F_FROM), F_LEAST);
    }
    if (mode != EVERY) out += one(state, entity, from, end, limit, out);
    else {
      out = every(state, entity, cursor == NO_CURSOR ? from : cursor, end, limit, out, outEnd);
      if (load<u32>(state, F_CURSOR) != NO_CURSOR) break;
    }
  }
  store<u32>(state, entity, F_ENTITY);
  return <u32>((out - begin) / stride);
}
