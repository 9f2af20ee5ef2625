/** How a client shows that it has a key: as a password in clear text, or by SCRAM-SHA-256. */
import type { KeySecrets, PresentedKey } from '../../catalog/index.js';
import { ProtocolError } from './errors.js';
import { type MessageReader, utf8 } from './message-reader.js';
import * as messages from './messages.js';
import { SCRAM, ScramExchange } from './scram.js';

export const AUTHENTICATION_METHODS = ['password', 'scram'] as const;
export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

/** `key` null = the client has to answer `reply` first. */
export interface AuthenticationStep {
  readonly reply: Uint8Array;
  readonly key: PresentedKey | null;
}

export interface Authentication {
  /** The message that asks the client for its key. */
  readonly request: Uint8Array;
  /** Handles a message of kind p. Throws 08P01, and 28P01 if no key was proved. */
  receive(body: MessageReader): AuthenticationStep;
}

const NOTHING = new Uint8Array(0);

export class PasswordAuthentication implements Authentication {
  readonly request = messages.requestPassword();

  receive(body: MessageReader): AuthenticationStep {
    return { key: body.text(), reply: NOTHING };
  }
}

export class ScramAuthentication implements Authentication {
  readonly request = messages.requestSasl([SCRAM]);
  readonly #exchange: ScramExchange;
  readonly #keys: () => readonly KeySecrets[];
  #isStarted = false;

  /** `keys` returns the keys that the client may prove. */
  constructor(serverNonce: string, keys: () => readonly KeySecrets[]) {
    this.#exchange = new ScramExchange(serverNonce);
    this.#keys = keys;
  }

  receive(body: MessageReader): AuthenticationStep {
    if (!this.#isStarted) {
      const mechanism = body.text();
      if (mechanism !== SCRAM) throw new ProtocolError('08P01', `this server offers ${SCRAM} only`);
      const message = utf8(body.take(body.int32()));
      body.expectEnd();
      this.#isStarted = true;
      return { reply: messages.saslContinue(this.#exchange.first(message)), key: null };
    }
    const outcome = this.#exchange.final(utf8(body.rest()), this.#keys());
    if (outcome === null) {
      throw new ProtocolError(
        '28P01',
        'no key of the requested database has that text, or it was created before SCRAM was available',
      );
    }
    return { reply: messages.saslFinal(outcome.reply), key: { hash: outcome.hash } };
  }
}
