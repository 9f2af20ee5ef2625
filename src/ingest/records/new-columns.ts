/**
 * The values of columns that a part creates: a new column has one type, so values of several kinds are all text, and the values
 * of CSV, which have no kinds, are numbers or booleans if all of the column are.
 */
type Kind = 'number' | 'boolean' | 'text' | 'list';

const INTEGER_OR_DECIMAL = /^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,9})?$/;

export class NewColumns {
  /** The values have no kinds but those that their texts suggest. */
  readonly #isText: boolean;
  readonly #kinds = new Map<string, Kind | 'mixed'>();

  constructor(isText: boolean) {
    this.#isText = isText;
  }

  /** Notes a value of column `name`: a JSON token that is neither null nor an empty string. */
  see(name: string, token: string): void {
    const kind = this.#kindOf(token);
    const before = this.#kinds.get(name);
    this.#kinds.set(name, before === undefined || before === kind ? kind : 'mixed');
  }

  /** The value as the column takes it. Every value of the part must have been seen before. */
  token(name: string, token: string): string {
    const isText = token.startsWith('"');
    switch (this.#kinds.get(name)) {
      case 'number':
      case 'boolean':
        return isText ? token.slice(1, -1) : token;
      case 'mixed':
        return isText || token.startsWith('[') ? token : JSON.stringify(token);
      default:
        return token;
    }
  }

  #kindOf(token: string): Kind {
    if (token.startsWith('[')) return 'list';
    if (!token.startsWith('"')) return token === 'true' || token === 'false' ? 'boolean' : 'number';
    if (!this.#isText) return 'text';
    const text = token.slice(1, -1);
    if (text === 'true' || text === 'false') return 'boolean';
    return INTEGER_OR_DECIMAL.test(text) ? 'number' : 'text';
  }
}
