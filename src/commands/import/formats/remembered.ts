/** Caches the results of a costly function of short values while values repeat. */

const RESULTS_MAX = 16_384;
/** A longer substring keeps its whole text in memory, so it is copied. */
const OWN_CHARS_MAX = 12;

const owned = <K>(key: K): K =>
  typeof key === 'string' && key.length > OWN_CHARS_MAX
    ? (Buffer.from(key, 'utf16le').toString('utf16le') as K)
    : key;

/** `make` must depend only on its argument. Stops caching when few arguments repeat. */
export function remembered<K, V>(make: (key: K) => V): (key: K) => V {
  let results: Map<K, V> | null = new Map();
  let hits = 0;
  let last: { readonly key: K; readonly result: V } | null = null;
  return (key) => {
    if (results === null) return make(key);
    if (last !== null && last.key === key) return last.result;
    let result = results.get(key);
    if (result === undefined) {
      result = make(key);
      if (results.size === RESULTS_MAX) {
        if (hits < RESULTS_MAX) results = null;
        else results.clear();
        hits = 0;
      }
      results?.set(owned(key), result);
    } else hits++;
    last = { key, result };
    return result;
  };
}
