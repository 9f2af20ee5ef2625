/** What a draft lacks before it can be sent, as instructions to the user. */
export interface Problem {
  /** A sentence. */
  readonly text: string;
}

export class Problems {
  readonly found: Problem[] = [];

  add(text: string): void {
    if (!this.found.some((problem) => problem.text === text)) this.found.push({ text });
  }
}
