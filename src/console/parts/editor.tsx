/**
 * An editor for SQL or JSON with completion. It is in a shadow root, where its styles are style sheets made by script, so
 * that the page's policy can refuse all inline styles.
 */
import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { minimalSetup } from 'codemirror';
import { useEffect, useRef } from 'preact/hooks';
import { type Completion, completeJson, completeSql } from '../query/complete.js';
import type { ErrorSpan } from '../query/error-span.js';
import type { Model } from '../server/model.js';

export type Language = 'sql' | 'json';

interface EditorProps {
  readonly language: Language;
  readonly label: string;
  /** The initial text; to show another text, mount the editor with another key. */
  readonly text: string;
  readonly model: Model;
  /** The part of the text that is wrong; null = none. */
  readonly span: ErrorSpan | null;
  /** Receives what other parts of the page can do with the text. */
  readonly handle: { current: EditorHandle | null };
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
}

export interface EditorHandle {
  /** Puts a text in place of the selection. */
  insert(text: string): void;
  replace(from: number, to: number, text: string): void;
}

export default function Editor(props: EditorProps) {
  const { language, label, span } = props;
  const container = useRef<HTMLDivElement>(null);
  /** The properties of the last drawing, for the editor's callbacks. */
  const latest = useRef(props);
  latest.current = props;
  const view = useRef<EditorView | null>(null);

  useEffect(() => {
    const host = container.current;
    if (host === null) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: extensionsOf(language, label, latest),
      }),
    });
    view.current = made;
    latest.current.handle.current = handleOf(made);
    return () => {
      view.current = null;
      made.destroy();
    };
  }, [language, label]);

  useEffect(() => {
    view.current?.dispatch({ effects: SHOW_SPAN.of(span) });
  }, [span?.from, span?.to, span?.message]);

  return <div class="editor" ref={container} />;
}

const handleOf = (editor: EditorView): EditorHandle => ({
  insert: (text) => {
    editor.dispatch(editor.state.replaceSelection(text));
    editor.focus();
  },
  replace: (from, to, text) => {
    editor.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length } });
    editor.focus();
  },
});

const SHOW_SPAN = StateEffect.define<ErrorSpan | null>();

/** Underlines the part of the text that is wrong, until the text changes. */
const SPAN = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { effects, docChanged, newDoc }) => {
    for (const effect of effects) {
      if (effect.is(SHOW_SPAN)) return marksOf(effect.value, newDoc.length);
    }
    return docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function marksOf(span: ErrorSpan | null, length: number): DecorationSet {
  if (span === null || length === 0) return Decoration.none;
  // At the end of the text, the last character is marked.
  const from = Math.min(span.from, length - 1);
  const attributes = { class: 'error-mark', title: span.message };
  return Decoration.set(
    Decoration.mark({ attributes }).range(from, Math.max(from + 1, Math.min(span.to, length))),
  );
}

type Latest = { readonly current: EditorProps };

function extensionsOf(language: Language, label: string, latest: Latest) {
  return [
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => ran(latest) }])),
    minimalSetup,
    autocompletion({
      icons: false,
      override: [(context) => completed(context, language, latest.current.model)],
    }),
    TYPING,
    colouring(language),
    SPAN,
    LOOK,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange(update.state.doc.toString());
    }),
  ];
}

function ran(latest: Latest): boolean {
  latest.current.onRun();
  return true;
}

function completed(context: CompletionContext, language: Language, model: Model): CompletionResult | null {
  const whole = context.state.doc.toString();
  const before = whole.slice(0, context.pos);
  const found: Completion | null = (language === 'sql' ? completeSql : completeJson)(before, whole, model);
  if (found === null || (found.from === context.pos && !context.explicit && language === 'sql')) return null;
  const types = {
    keyword: 'keyword',
    function: 'function',
    table: 'class',
    column: 'property',
    predicate: 'type',
  };
  return {
    from: found.from,
    filter: false,
    options: found.suggestions.map(({ text, kind, note }) => ({
      label: text,
      detail: note,
      type: types[kind],
    })),
  };
}

const PATTERNS: Readonly<Record<Language, RegExp>> = {
  sql: /('(?:[^']|'')*'?)|(--.*)|(\b\d+(?:\.\d+)?\b)|(\[[^\]]*\]?)|\b(select|distinct|from|where|group|by|having|order|asc|desc|limit|offset|join|left|inner|on|and|or|not|in|like|between|is|null|as|case|when|then|else|end|cast|explain|analyze|insert|into|values|update|set|delete)\b/gi,
  json: /("(?:[^"\\]|\\.)*"(?!\s*:))|(\/\/.*)|(-?\b\d+(?:\.\d+)?\b)|("(?:[^"\\]|\\.)*")|\b(true|false|null)\b/g,
};
/** The class of each group of the pattern. */
const CLASSES = ['text', 'comment', 'number', 'name', 'keyword'];

function colouring(language: Language) {
  const marks = CLASSES.map((name) => Decoration.mark({ class: `word-${name}` }));
  const decorator = new MatchDecorator({
    regexp: PATTERNS[language],
    decoration: (match) => marks[match.slice(1).findIndex((group) => group !== undefined)] ?? null,
  });
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(editor: EditorView) {
        this.decorations = decorator.createDeco(editor);
      }
      update(update: ViewUpdate) {
        this.decorations = decorator.updateDeco(update, this.decorations);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

/**
 * Replaces a selection when the user types. The browser's own edit would add styles that the page's policy refuses.
 */
const TYPING = EditorView.domEventHandlers({
  beforeinput: (event, editor) => {
    const { state } = editor;
    if (event.inputType !== 'insertText' || event.data === null || state.selection.main.empty) return false;
    editor.dispatch(state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

const LOOK = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--field)',
    borderRadius: 'var(--radius)',
    border: '1px solid var(--line-strong)',
    fontSize: '13.5px',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-content': {
    fontFamily: 'var(--mono)',
    padding: '10px 4px',
    minHeight: '130px',
    caretColor: 'var(--ink)',
  },
  '.cm-scroller': { maxHeight: '50vh', overflow: 'auto' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--select)',
  },
  '.error-mark': { textDecoration: 'underline wavy var(--bad)', textDecorationSkipInk: 'none' },
  '.word-text': { color: 'var(--code-text)' },
  '.word-number': { color: 'var(--code-number)' },
  '.word-keyword': { color: 'var(--code-keyword)', fontWeight: '600' },
  '.word-name': { color: 'var(--code-name)' },
  '.word-comment': { color: 'var(--ink-soft)', fontStyle: 'italic' },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxWidth: '86vw' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.7', fontStyle: 'normal' },
});
