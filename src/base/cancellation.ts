/** Tells whether the client of a request still waits for the answer. */
export interface Cancellation {
  readonly isCancelled: boolean;
  /** Calls `act` once, when the request is cancelled. There is at most one `act` at a time; `null` removes it. */
  onCancel(act: (() => void) | null): void;
}
