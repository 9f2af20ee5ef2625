/** Small components that all views use. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { cellText } from '../answer/table.js';
import { RequestError } from '../server/client.js';
import { isObject, type Json } from '../server/json.js';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** The label is for screen readers only, because its position shows its meaning. */
  readonly quiet?: boolean;
  readonly children: (id: string) => ComponentChildren;
}

export function Field({ label, hint, quiet = false, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label class={quiet ? 'unseen' : 'label'} for={id}>
        {label}
      </label>
      {children(id)}
      {hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  );
}

export interface Option {
  readonly value: string;
  readonly text: string;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
  readonly quiet?: boolean;
}

export function Choice({ label, value, options, onChange, quiet }: ChoiceProps) {
  return (
    <Field label={label} {...(quiet === undefined ? {} : { quiet })}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {!options.some((option) => option.value === value) && <option value={value}>choose…</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface EntryProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'email' | 'date' | 'datetime-local' | 'number' | 'search';
  readonly quiet?: boolean;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly suggestions?: readonly string[];
  readonly autoComplete?: string;
  readonly maxLength?: number;
  readonly class?: string;
  /** The entry takes the focus as it appears. */
  readonly focused?: boolean;
}

export function Entry({
  label,
  value,
  onChange,
  type = 'text',
  quiet,
  hint,
  suggestions = [],
  focused = false,
  ...rest
}: EntryProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focused) input.current?.focus();
  }, []);
  const attributes = (id: string): object => ({
    ...{ autoComplete: 'off', spellcheck: false, ...rest, id, type, value },
    ...(suggestions.length > 0 ? { list: `${id}-list` } : {}),
  });
  return (
    <Field
      label={label}
      {...(quiet === undefined ? {} : { quiet })}
      {...(hint === undefined ? {} : { hint })}
    >
      {(id) => (
        <>
          <input ref={input} {...attributes(id)} onInput={(event) => onChange(event.currentTarget.value)} />
          {suggestions.length > 0 && (
            <datalist id={`${id}-list`}>
              {suggestions.map((text) => (
                <option key={text} value={text} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly chosen: Name;
  readonly tabs: readonly { readonly name: Name; readonly text: string }[];
  readonly onChoose: (name: Name) => void;
}

/** Tabs, one of which is chosen; arrow keys move between them. */
export function Tabs<Name extends string>({ label, chosen, tabs, onChoose }: TabsProps<Name>) {
  const move = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    // Start from the focused tab: the tab that the previous key chose may not be drawn yet.
    const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')];
    const at = buttons.indexOf(event.target as HTMLElement);
    const next = (at + step + tabs.length) % tabs.length;
    onChoose(tabs[next].name);
    buttons[next]?.focus();
    event.preventDefault();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ name, text }) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** All details of a refusal. */
export function ErrorBox({ error }: { readonly error: unknown }) {
  const refusals =
    error instanceof RequestError
      ? error.refusals
      : [{ code: null, message: error instanceof Error ? error.message : String(error), detail: null }];
  return (
    <div class="error" role="alert">
      {refusals.map(({ code, message, detail }) => (
        <div key={message}>
          <p>
            {code !== null && <span class="code">{code}</span>} {message}
          </p>
          {detailText(detail, message) !== '' && <pre>{detailText(detail, message)}</pre>}
        </div>
      ))}
    </div>
  );
}

/** One line per detail, without the message, which is shown above. */
function detailText(detail: Json, message: string): string {
  if (!isObject(detail)) return detail === null ? '' : cellText(detail);
  return Object.entries(detail)
    .filter(([, value]) => value !== message)
    .map(([name, value]) => `${name}: ${cellText(value)}`)
    .join('\n');
}

export function Busy({ text }: { readonly text: string }) {
  return (
    <p class="busy" role="status">
      <span class="spinner" aria-hidden="true" /> {text}
    </p>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children}
    </div>
  );
}

interface CopyProps {
  /** The text, or what makes it when it is wanted. */
  readonly text: string | (() => string);
  readonly label: string;
}

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label }: CopyProps) {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <button type="button" class="quiet" onClick={copy} onBlur={() => setCopied(false)}>
      {copied ? 'Copied' : label}
    </button>
  );
}
