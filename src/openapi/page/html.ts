/** Text as HTML. Invariant: text that `html` did not produce is escaped before it is put into a page. */

/** Markup that is safe to put into a page. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Html[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char]);

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const written = parts.map((part) => {
    if (part instanceof Html) return part.text;
    return typeof part === 'object' ? part.map(({ text }) => text).join('') : escaped(String(part));
  });
  return new Html(strings.map((string, index) => string + (written[index] ?? '')).join(''));
}

/** Converts words in `backticks` to code, and the rest to text. */
export function prose(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
  return html`${parts}`;
}
