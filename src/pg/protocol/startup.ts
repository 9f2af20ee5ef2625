/** Parses the first messages of a connection, which have no kind byte. */
import { ProtocolError } from './errors.js';
import type { MessageReader } from './message-reader.js';

const VERSION_3 = 3;
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
const OPTIONS_MAX = 100;

export interface Start {
  readonly is: 'start';
  /** Options by name in lower case, without `user` and `database`. */
  readonly settings: ReadonlyMap<string, string>;
  readonly user: string;
  /** null = not specified. */
  readonly database: string | null;
  /** Protocol options (`_pq_.`) that this server does not support. */
  readonly unknownOptions: readonly string[];
  readonly isNewer: boolean;
}

export type First =
  | { readonly is: 'tls' }
  | { readonly is: 'gss' }
  | { readonly is: 'cancel'; readonly processId: number; readonly secret: number }
  | Start;

/** Parses `-c name=value` and `--name=value` in the startup option `options`; a backslash escapes the next character. */
function optionsIn(text: string): readonly (readonly [name: string, value: string])[] {
  const args = (text.match(/(?:\\.|[^\s\\])+/gs) ?? []).map((arg) => arg.replace(/\\(.)/gs, '$1'));
  return args.flatMap((arg, at) => {
    const setting = args[at - 1] === '-c' ? arg : /^(?:-c|--)(.+)/.exec(arg)?.[1];
    const match = /^([^=]+)=(.*)$/s.exec(setting ?? '');
    return match === null ? [] : [[match[1].replaceAll('-', '_').toLowerCase(), match[2]] as const];
  });
}

/** Throws 08P01. */
export function firstOf(body: MessageReader): First {
  const code = body.int32();
  if (code === SSL_REQUEST) return { is: 'tls' };
  if (code === GSS_REQUEST) return { is: 'gss' };
  if (code === CANCEL_REQUEST) return { is: 'cancel', processId: body.int32(), secret: body.int32() };
  if (code >> 16 !== VERSION_3) {
    throw new ProtocolError(
      '08P01',
      `unsupported protocol version ${code >> 16}.${code & 0xffff}; this server supports 3.0`,
    );
  }
  const settings = new Map<string, string>();
  for (let name = body.text(); name !== ''; name = body.text()) {
    if (settings.size >= OPTIONS_MAX) throw new ProtocolError('08P01', 'too many options');
    settings.set(name.toLowerCase(), body.text());
  }
  const user = settings.get('user') ?? '';
  const database = settings.get('database') ?? null;
  for (const [name, value] of optionsIn(settings.get('options') ?? '')) {
    if (!settings.has(name)) settings.set(name, value);
  }
  for (const name of ['user', 'database', 'replication', 'options']) settings.delete(name);
  const unknownOptions = [...settings.keys()].filter((name) => name.startsWith('_pq_.'));
  for (const name of unknownOptions) settings.delete(name);
  return { is: 'start', settings, user, database, unknownOptions, isNewer: (code & 0xffff) > 0 };
}
