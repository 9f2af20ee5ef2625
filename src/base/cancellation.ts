/** Whether the client of a request still waits for the answer. */
export interface Cancellation {
  readonly isCancelled: boolean;
  /** Calls `act` once when the request is cancelled. A new `act` replaces the previous one; `null` removes it. */
  onCancel(act: (() => void) | null): void;
}
