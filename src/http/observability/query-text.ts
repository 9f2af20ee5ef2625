/** Characters of a query's text that an operator sees. */
const TEXT_MAX = 2_000;
/** A character of UTF-8 takes up to four bytes. */
const TEXT_BYTES_MAX = TEXT_MAX * 4;
/** The first half of a surrogate pair at the end of a text that was cut. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** The beginning of a query's text, as the log of slow queries and the list of running ones have it. */
export function queryTextOf(text: Uint8Array | string): string {
  const whole =
    typeof text === 'string' ? text : Buffer.from(text.subarray(0, TEXT_BYTES_MAX)).toString('utf8');
  return whole.length <= TEXT_MAX ? whole : `${cutText(whole, TEXT_MAX)}...`;
}

/** At most `charactersMax` UTF-16 units of a text, cut between characters. */
export const cutText = (text: string, charactersMax: number): string =>
  text.slice(0, charactersMax).replace(HALF_CHARACTER, '');
