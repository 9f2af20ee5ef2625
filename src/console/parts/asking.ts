/** One request at a time of a view: a new one, or leaving, stops the one before. */
import { useEffect, useRef, useState } from 'preact/hooks';

export type Asking<Value> =
  | { readonly state: 'idle' }
  | { readonly state: 'busy'; readonly before: Value | null }
  | { readonly state: 'done'; readonly value: Value }
  | { readonly state: 'failed'; readonly error: unknown };

export interface Asker<Value> {
  readonly asking: Asking<Value>;
  readonly run: (ask: (signal: AbortSignal) => Promise<Value>) => void;
  readonly stop: () => void;
  readonly forget: () => void;
}

export function useAsking<Value>(): Asker<Value> {
  const [asking, setAsking] = useState<Asking<Value>>({ state: 'idle' });
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const begin = (): AbortController => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    return controller;
  };
  return {
    asking,
    run: (ask) => {
      const controller = begin();
      const { signal } = controller;
      setAsking((last) => ({ state: 'busy', before: last.state === 'done' ? last.value : null }));
      ask(signal).then(
        (value) => {
          if (!signal.aborted) setAsking({ state: 'done', value });
        },
        (error: unknown) => {
          if (!signal.aborted) setAsking({ state: 'failed', error });
        },
      );
    },
    stop: () => {
      begin();
      setAsking((last) =>
        last.state !== 'busy'
          ? last
          : last.before === null
            ? { state: 'idle' }
            : { state: 'done', value: last.before },
      );
    },
    forget: () => {
      begin();
      setAsking({ state: 'idle' });
    },
  };
}
