/** Text as HTML. Invariant: whatever is not made by `html` is escaped before it stands in a page. */

/** Markup that is safe to stand in a page. */
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

/** Words in `backticks` as code, the rest as text. */
export function prose(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
  return html`${parts}`;
}
