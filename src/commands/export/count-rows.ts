/** How many rows went by in bytes of a text format, without reading them. */

const NEWLINE = 0x0a;
const QUOTE = 0x22;

export type CountRows = (part: Uint8Array) => number;

/** A line is a row. */
export const countLines: CountRows = (part) => {
  let count = 0;
  for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) count++;
  return count;
};

/** Of the parts of one file, in their order: line ends within quotes end no row, and the first row is the names. */
export function csvRowCounter(): CountRows {
  let quoted = false;
  let headSeen = false;
  return (part) => {
    let count = 0;
    for (let at = 0; at < part.length; at++) {
      // A quote that stands twice opens and closes again.
      if (part[at] === QUOTE) quoted = !quoted;
      else if (part[at] === NEWLINE && !quoted) count++;
    }
    if (headSeen || count === 0) return count;
    headSeen = true;
    return count - 1;
  };
}
