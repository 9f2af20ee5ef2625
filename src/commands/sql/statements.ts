/** Where a statement ends in the text of several: at a `;` that stands in no quotes, brackets or comment. */

/** What closes what opens so; a doubled one stands for itself, which comes out the same. */
const CLOSES: Readonly<Record<string, string>> = { "'": "'", '"': '"', '[': ']' };

/** Takes text as it comes, and gives whole statements. */
export class StatementReader {
  #text = '';

  /** The statements that end in what came so far, without their `;` and white space around. */
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

  /** What is left and no `;` ends; '' when it is blank. */
  rest(): string {
    const rest = this.#text.trim();
    this.#text = '';
    return isBlank(rest) ? '' : rest;
  }

  /** What waits for a `;`. */
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

/** Behind what begins at `at`: a quoted thing, a comment, or one character; null = it has no end yet. */
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

/** Whether there is nothing but white space and comments. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    if (!isComment(text, at) && !/\s/.test(text[at])) return false;
    at = endOfPiece(text, at) ?? text.length;
  }
  return true;
}

/** The statement on one line, without comments, as a history keeps it; line ends within quotes stay as they are. */
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
