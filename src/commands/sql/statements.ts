/** Splits text into statements at each `;` outside quotes, brackets and comments. */

/** Closing character by opening character. A doubled closing character closes and opens again, with the same result. */
const CLOSES: Readonly<Record<string, string>> = { "'": "'", '"': '"', '[': ']' };

/** Collects text and returns complete statements. */
export class StatementReader {
  #text = '';

  /** Adds text and returns the statements that are complete, without `;` and surrounding white space. */
  take(text: string): string[] {
    this.#text += text;
    const statements: string[] = [];
    for (;;) {
      const end = endOfStatement(this.#text);
      if (end === null) return statements;
      const statement = this.#text.slice(0, end).trim();
      this.#text = this.#text.slice(end + 1);
      if (!isBlank(statement)) statements.push(statement);
    }
  }

  /** Returns the last statement without `;`; '' if it is blank. */
  rest(): string {
    const rest = this.#text.trim();
    this.#text = '';
    return isBlank(rest) ? '' : rest;
  }

  /** The text after the last complete statement. */
  get open(): string {
    return this.#text;
  }

  get isBlank(): boolean {
    return isBlank(this.#text);
  }
}

function endOfStatement(text: string): number | null {
  for (let at = 0; at < text.length; ) {
    if (text[at] === ';') return at;
    const end = endOfPiece(text, at);
    if (end === null) return null;
    at = end;
  }
  return null;
}

/** The offset after the quoted text, comment or character at `at`; null = it is incomplete. */
function endOfPiece(text: string, at: number): number | null {
  const close = CLOSES[text[at]];
  if (close !== undefined) {
    const end = text.indexOf(close, at + 1);
    return end === -1 ? null : end + 1;
  }
  if (text.startsWith('--', at)) {
    const end = text.indexOf('\n', at);
    return end === -1 ? null : end + 1;
  }
  return text.startsWith('/*', at) ? endOfComment(text, at) : at + 1;
}

/** Comments nest. */
function endOfComment(text: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    if (text.startsWith('/*', at)) depth++;
    else if (text.startsWith('*/', at)) depth--;
    else {
      at++;
      continue;
    }
    at += 2;
    if (depth === 0) return at;
  }
  return null;
}

const isComment = (text: string, at: number): boolean =>
  text.startsWith('--', at) || text.startsWith('/*', at);

/** Whether the text has only white space and comments. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    if (!isComment(text, at) && !/\s/.test(text[at])) return false;
    at = endOfPiece(text, at) ?? text.length;
  }
  return true;
}

/** The statement on one line without comments, for the history; line ends within quotes stay. */
export function onOneLine(statement: string): string {
  let line = '';
  let gap = false;
  for (let at = 0; at < statement.length; ) {
    const end = endOfPiece(statement, at) ?? statement.length;
    if (isComment(statement, at) || /\s/.test(statement[at])) gap = true;
    else {
      line += (gap && line !== '' ? ' ' : '') + statement.slice(at, end);
      gap = false;
    }
    at = end;
  }
  return line;
}
