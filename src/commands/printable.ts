/** Texts that clients chose, on their way to somebody's terminal. */

/** Control and format characters (also those that turn the writing direction) and whatever ends a line. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\\]/gu;

/** The text on one line, with what a terminal would obey as \u{...}. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) =>
    character === '\\' ? '\\\\' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
