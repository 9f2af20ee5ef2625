/** The options of regular expressions, as letters: later ones replace earlier ones. */
import { QuarryError } from '../base/index.js';

export interface Options {
  ignoresCase: boolean;
  /**
   * How line ends are matched. none: like any character. points: . and [^...] do not match them. anchors: ^ and $ match next to
   * them. all: both.
   */
  newline: 'none' | 'all' | 'points' | 'anchors';
  /** White space and comments in the pattern are ignored. */
  expanded: boolean;
  /** The pattern is plain text. */
  literal: boolean;
}

/** Throws 6000 for a letter that is not an option. */
export function optionsOf(letters: string, before?: Options): Options {
  const options: Options = before ?? { ignoresCase: false, newline: 'none', expanded: false, literal: false };
  for (const letter of letters) {
    if (letter === 'i') options.ignoresCase = true;
    else if (letter === 'c') options.ignoresCase = false;
    else if (letter === 'n' || letter === 'm') options.newline = 'all';
    else if (letter === 'p') options.newline = 'points';
    else if (letter === 'w') options.newline = 'anchors';
    else if (letter === 's') options.newline = 'none';
    else if (letter === 'x') options.expanded = true;
    else if (letter === 't') options.expanded = false;
    else if (letter === 'q') options.literal = true;
    else if (letter !== 'g' && letter !== 'e') {
      const what = `"${letter}" is not an option of regular expressions; options are i, c, n, m, p, w, s, x, t, q and g`;
      throw new QuarryError(6000, what, { message: what });
    }
  }
  return options;
}
