/** Counts the rows in a stream of bytes of a text format, without parsing them. */

const NEWLINE = 0x0a;
const QUOTE = 0x22;

export type CountRows = (part: Uint8Array) => number;

/** Counts lines. */
export const countLines: CountRows = (part) => {
  let count = 0;
  for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) count++;
  return count;
};

/** A counter for consecutive parts of one CSV file: ignores line ends within quotes, and does not count the header. */
export function csvRowCounter(): CountRows {
  let quoted = false;
  let headSeen = false;
  return (part) => {
    let count = 0;
    for (let at = 0; at < part.length; at++) {
      // A doubled quote toggles twice.
      if (part[at] === QUOTE) quoted = !quoted;
      else if (part[at] === NEWLINE && !quoted) count++;
    }
    if (headSeen || count === 0) return count;
    headSeen = true;
    return count - 1;
  };
}
