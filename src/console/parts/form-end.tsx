/** The end of a form that makes a thing or changes it: the error of the last attempt, and the buttons. */
import { ErrorBox } from './controls.js';
import type { RequestState } from './use-request.js';

interface FormEndProps {
  readonly requestState: RequestState<unknown>;
  /** What the form does, as a button says it. */
  readonly does: string;
  readonly isComplete: boolean;
  /** null = nothing is to be cancelled. */
  readonly onCancel: (() => void) | null;
}

export const FormEnd = ({ requestState, does, isComplete, onCancel }: FormEndProps) => (
  <>
    {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
    <div class="row">
      <button type="submit" disabled={!isComplete || requestState.state === 'busy'}>
        {does}
      </button>
      {onCancel !== null && (
        <button type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
      )}
    </div>
  </>
);
