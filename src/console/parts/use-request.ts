/** One request at a time for a view: a new request, or leaving the view, aborts the previous one. */
import { useEffect, useRef, useState } from 'preact/hooks';

export type RequestState<Value> =
  | { readonly state: 'idle' }
  | { readonly state: 'busy'; readonly before: Value | null }
  | { readonly state: 'done'; readonly value: Value }
  | { readonly state: 'failed'; readonly error: unknown };

/** The value to show: that of the request, or while it runs that of the one before; null = there is none. */
export function shownValue<Value>(requestState: RequestState<Value>): Value | null {
  if (requestState.state === 'done') return requestState.value;
  return requestState.state === 'busy' ? requestState.before : null;
}

export interface RequestControl<Value> {
  readonly requestState: RequestState<Value>;
  readonly run: (request: (signal: AbortSignal) => Promise<Value>) => void;
  readonly stop: () => void;
  readonly forget: () => void;
}

export function useRequest<Value>(): RequestControl<Value> {
  const [requestState, setRequestState] = useState<RequestState<Value>>({ state: 'idle' });
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const begin = (): AbortController => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    return controller;
  };
  return {
    requestState,
    run: (request) => {
      const controller = begin();
      const { signal } = controller;
      setRequestState((last) => ({ state: 'busy', before: last.state === 'done' ? last.value : null }));
      request(signal).then(
        (value) => {
          if (!signal.aborted) setRequestState({ state: 'done', value });
        },
        (error: unknown) => {
          if (!signal.aborted) setRequestState({ state: 'failed', error });
        },
      );
    },
    stop: () => {
      begin();
      setRequestState((last) =>
        last.state !== 'busy'
          ? last
          : last.before === null
            ? { state: 'idle' }
            : { state: 'done', value: last.before },
      );
    },
    forget: () => {
      begin();
      setRequestState({ state: 'idle' });
    },
  };
}
