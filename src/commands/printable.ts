/** Makes texts chosen by clients safe to print on a terminal. */

/** Control and format characters, including those that change the writing direction, and line ends. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\\]/gu;

/** The text on one line, with control characters as \u{...}. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) =>
    character === '\\' ? '\\\\' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
