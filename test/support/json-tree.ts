/**
 * A slow, plain JSON parser for oracles. It keeps repeated keys, number tokens as text and member order. It refuses the
 * same input as the interface (byte order mark, bad UTF-8, lone surrogates, nesting beyond the limit).
 */
export type JsonNode =
  | { readonly t: 'object'; readonly members: readonly { readonly key: string; readonly value: JsonNode }[] }
  | { readonly t: 'list'; readonly items: readonly JsonNode[] }
  | { readonly t: 'string'; readonly text: string }
  | { readonly t: 'number'; readonly text: string }
  | { readonly t: 'boolean'; readonly value: boolean }
  | { readonly t: 'null' };

export class BadJson extends Error {}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class TreeParser {
  readonly #text: string;
  readonly #depthMax: number;
  #at = 0;

  constructor(text: string, depthMax: number) {
    this.#text = text;
    this.#depthMax = depthMax;
  }

  document(): JsonNode {
    const node = this.#value(0);
    this.#space();
    if (this.#at !== this.#text.length) throw new BadJson('trailing text');
    return node;
  }

  #space(): void {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  #take(expected: string): boolean {
    this.#space();
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #value(depth: number): JsonNode {
    if (this.#take('{')) return this.#object(depth);
    if (this.#take('[')) return this.#list(depth);
    if (this.#take('"')) return { t: 'string', text: this.#string() };
    if (this.#take('true')) return { t: 'boolean', value: true };
    if (this.#take('false')) return { t: 'boolean', value: false };
    if (this.#take('null')) return { t: 'null' };
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (match === null) throw new BadJson('no value');
    this.#at += match[0].length;
    return { t: 'number', text: match[0] };
  }

  #object(depth: number): JsonNode {
    if (depth >= this.#depthMax) throw new BadJson('too deep');
    const members: { key: string; value: JsonNode }[] = [];
    if (this.#take('}')) return { t: 'object', members };
    do {
      if (!this.#take('"')) throw new BadJson('no key');
      const key = this.#string();
      if (!this.#take(':')) throw new BadJson('no colon');
      members.push({ key, value: this.#value(depth + 1) });
    } while (this.#take(','));
    if (!this.#take('}')) throw new BadJson('no end of object');
    return { t: 'object', members };
  }

  #list(depth: number): JsonNode {
    if (depth >= this.#depthMax) throw new BadJson('too deep');
    const items: JsonNode[] = [];
    if (this.#take(']')) return { t: 'list', items };
    do items.push(this.#value(depth + 1));
    while (this.#take(','));
    if (!this.#take(']')) throw new BadJson('no end of list');
    return { t: 'list', items };
  }

  #string(): string {
    let text = '';
    for (;;) {
      const unit = this.#text[this.#at++];
      if (unit === undefined || unit < ' ') throw new BadJson('bad string');
      if (unit === '"') break;
      if (unit !== '\\') {
        text += unit;
        continue;
      }
      const letter = this.#text[this.#at++];
      if (letter === 'u') {
        const hex = this.#text.slice(this.#at, this.#at + 4);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw new BadJson('bad escape');
        text += String.fromCharCode(Number.parseInt(hex, 16));
        this.#at += 4;
      } else if (ESCAPES[letter] !== undefined) text += ESCAPES[letter];
      else throw new BadJson('bad escape');
    }
    if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text))
      throw new BadJson('lone surrogate');
    return text;
  }
}

/** Throws BadJson. */
export function parseTree(bytes: Uint8Array, depthMax: number): JsonNode {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BadJson('bad UTF-8');
  }
  return new TreeParser(text, depthMax).document();
}
