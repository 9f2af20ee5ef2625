/** Whether somebody still waits for an answer. */
export interface HangUp {
  readonly hasHungUp: boolean;
  /** Calls `act` once, when the client goes away; at most one `act` at a time, `null` takes it back. */
  onHangUp(act: (() => void) | null): void;
}
