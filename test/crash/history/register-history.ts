/**
 * Histories of registers, and a check that one is linearizable: each write and each read takes effect at one time between its
 * request and its answer, and a read returns the value of the last write before it.
 * Source  Gibbons, Korach: Testing Shared Memories, SIAM J. Comput. 26 (1997): exact for registers whose every value is
 *         written once, in O(n log n).
 */

export interface Operation {
  readonly register: number;
  readonly kind: 'write' | 'read';
  /** The written or read value; each write of a register has a unique value, and the initial value is 0. */
  readonly value: number;
  /** Time before sending, and time after the answer; of one clock, in milliseconds. */
  readonly sentMs: number;
  readonly answeredMs: number;
  /** For error texts. */
  readonly client: number;
}

/** A value's write and reads: the register must have held it from `low` to `high`, or at some time between the two. */
interface Zone {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** One operation of the value ended before another began: the register held the value all the time between. */
  readonly forward: boolean;
}

/** Description of the contradiction; null = the operations are linearizable. */
export function faultOf(operations: readonly Operation[]): string | null {
  const registers = groupBy(operations, ({ register }) => register);
  for (const [register, own] of registers) {
    const fault = faultOfOne(own);
    if (fault !== null) return `register ${register}: ${fault}`;
  }
  return null;
}

function faultOfOne(operations: readonly Operation[]): string | null {
  const first = { sentMs: Number.NEGATIVE_INFINITY, answeredMs: Number.NEGATIVE_INFINITY };
  const zones: Zone[] = [];
  for (const [value, own] of groupBy(operations, (operation) => operation.value)) {
    const writes = own.filter(({ kind }) => kind === 'write');
    const write = value === 0 ? first : writes[0];
    if (write === undefined) return `${value} was read and never written`;
    if (writes.length > (value === 0 ? 0 : 1)) return `${value} was written twice`;
    for (const read of own) {
      if (read.answeredMs < write.sentMs)
        return `${value} was read by client ${read.client} before it was written`;
    }
    zones.push(zoneOf(value, [write, ...own]));
  }
  return zonesClash(zones);
}

function zoneOf(value: number, spans: readonly Pick<Operation, 'sentMs' | 'answeredMs'>[]): Zone {
  const firstAnswer = spans.reduce(
    (least, { answeredMs }) => Math.min(least, answeredMs),
    Number.POSITIVE_INFINITY,
  );
  const lastSent = spans.reduce((most, { sentMs }) => Math.max(most, sentMs), Number.NEGATIVE_INFINITY);
  return firstAnswer < lastSent
    ? { value, low: firstAnswer, high: lastSent, forward: true }
    : { value, low: lastSent, high: firstAnswer, forward: false };
}

/** Two forward zones may not overlap, and no other zone may lie within a forward one. */
function zonesClash(zones: readonly Zone[]): string | null {
  const forward = zones.filter((zone) => zone.forward).sort((a, b) => a.low - b.low);
  for (let at = 1; at < forward.length; at++) {
    const [before, behind] = [forward[at - 1], forward[at]];
    if (behind.low < before.high) return `${before.value} and ${behind.value} were current at the same time`;
  }
  for (const { value, low, high } of zones.filter((zone) => !zone.forward)) {
    const around = lastBefore(forward, low);
    if (around !== null && around.low < low && high < around.high) {
      return `${value} was written while ${around.value} stood`;
    }
  }
  return null;
}

/** The last zone that begins before `ms`; `zones` are in order. */
function lastBefore(zones: readonly Zone[], ms: number): Zone | null {
  let [low, high] = [0, zones.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (zones[middle].low < ms) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : zones[low - 1];
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => number): ReadonlyMap<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
