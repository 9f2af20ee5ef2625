/**
 * The front end: an HTTPS listener that serves everything and an HTTP listener that serves /v1/insert, the probes
 * and the metrics. Probes and metrics need no key and answer before the engine is ready.
 * Invariants: X-Forwarded headers count only from trusted proxies; a stop lets running requests finish (bounded).
 */
import type { Logger } from 'pino';
import { type Clock, QuarryError, quoted } from '../base/index.js';
import type { EngineApi } from '../engine/index.js';
import { admit, bodyLengthOf } from './admission.js';
import { type Answer, JSON_TYPE } from './answer.js';
import { ByteBudget } from './body.js';
import { ENDPOINTS } from './endpoints.js';
import { Exchange, type Site } from './exchange.js';
import { Metrics } from './metrics.js';
import { clientAddress, type ProxyList } from './proxy.js';
import { Router, withoutTrailingSlash } from './router.js';
import { type Listener, openListener, type Request, type Response } from './uws.js';

export interface HttpSettings {
  readonly host: string;
  /** 0 = any free port. */
  readonly httpsPort: number;
  readonly httpPort: number;
  /** Paths of PEM files. */
  readonly certFile: string;
  readonly keyFile: string;
  /** null = no proxy is trusted. */
  readonly proxies: ProxyList | null;
  /** Seconds from a request's head to the last byte of its body. */
  readonly bodySecondsMax: number;
  /** Bytes of all bodies that are received or worked on at once. */
  readonly bodyBytesHeldMax: number;
  /** Seconds that `close` waits for running requests. */
  readonly closeSecondsMax: number;
}

export const HTTP_DEFAULTS: Pick<HttpSettings, 'bodySecondsMax' | 'bodyBytesHeldMax' | 'closeSecondsMax'> = {
  bodySecondsMax: 60,
  bodyBytesHeldMax: 256 * 2 ** 20,
  closeSecondsMax: 10,
};

export interface HttpNeeds {
  readonly engine: EngineApi;
  readonly clock: Clock;
  /** Milliseconds of a clock that never goes back, with fractions. */
  readonly elapsedMs: () => number;
  readonly log: Logger;
  /** Random text that begins the request ids that this server makes up. */
  readonly instanceId: string;
}

export interface Ports {
  readonly httpsPort: number;
  readonly httpPort: number;
}

const REQUEST_ID = /^[ -~]{1,128}$/;

/** uWebSockets drops a connection 10 s after its last byte: those that wait for a body are looked at more often. */
const TICK_MS_MAX = 4_000;

export class HttpServer {
  readonly #settings: HttpSettings;
  readonly #needs: HttpNeeds;
  readonly #site: Site;
  readonly #router = new Router(ENDPOINTS);
  readonly #listeners: Listener[] = [];
  #ticker: NodeJS.Timeout | undefined;
  #requestCount = 0;
  #whenIdle: (() => void) | null = null;
  #closed: Promise<void> | null = null;

  constructor(settings: HttpSettings, needs: HttpNeeds) {
    this.#settings = settings;
    this.#needs = needs;
    const { engine, clock, elapsedMs, log } = needs;
    const budget = new ByteBudget(settings.bodyBytesHeldMax);
    const site: Site = {
      engine,
      clock,
      elapsedMs,
      log,
      budget,
      metrics: new Metrics(
        engine,
        () => site.openCount,
        () => budget.bytesTaken,
      ),
      waiting: new Set(),
      bodySecondsMax: settings.bodySecondsMax,
      closing: false,
      openCount: 0,
      closed: () => {
        if (site.openCount === 0) this.#whenIdle?.();
      },
    };
    this.#site = site;
  }

  /** Opens both ports and gives the real ones. Throws, with neither open, when one cannot be taken. */
  listen(): Ports {
    const { host, httpsPort, httpPort, certFile, keyFile } = this.#settings;
    const open = (port: number, tls: { certFile: string; keyFile: string } | null): number => {
      const handler = (response: Response, request: Request): void =>
        this.#handle(response, request, tls !== null);
      const listener = openListener({ host, port, tls }, handler);
      this.#listeners.push(listener);
      return listener.port;
    };
    try {
      const ports = { httpsPort: open(httpsPort, { certFile, keyFile }), httpPort: open(httpPort, null) };
      const tickMs = Math.min(TICK_MS_MAX, (this.#settings.bodySecondsMax * 1000) / 4);
      this.#ticker = setInterval(() => {
        for (const exchange of this.#site.waiting) exchange.tick();
      }, tickMs);
      this.#ticker.unref();
      return ports;
    } catch (error) {
      for (const listener of this.#listeners.splice(0)) listener.stopAccepting();
      throw error;
    }
  }

  /** Accepts nothing more, waits for running requests (bounded), then closes every connection. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const site = this.#site;
    site.closing = true;
    for (const listener of this.#listeners) listener.stopAccepting();
    if (site.openCount > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#settings.closeSecondsMax * 1000);
        this.#whenIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    clearInterval(this.#ticker);
    for (const listener of this.#listeners.splice(0)) listener.closeConnections();
  }

  #handle(response: Response, request: Request, overTls: boolean): void {
    const method = request.getMethod();
    const path = withoutTrailingSlash(request.getUrl());
    const length = bodyLengthOf(request, method);
    const peer = this.#peerOf(response, request);
    const exchange = new Exchange(this.#site, response, {
      requestId: this.#requestIdOf(request),
      client: peer.client,
      bodyless: method === 'head',
      length,
    });
    try {
      if (this.#probe(exchange, method, path)) return;
      const secure = overTls || peer.secure;
      exchange.receive(
        admit(this.#site.engine, request, this.#router.find(path), method, path, secure, length),
      );
    } catch (error) {
      exchange.refuse(error);
    }
  }

  /** Answers probes and metrics; false for any other path. */
  #probe(exchange: Exchange, method: string, path: string): boolean {
    if (path !== '/readyz' && path !== '/livez' && path !== '/metrics') return false;
    if (method !== 'get' && method !== 'head')
      throw new QuarryError(1505, `${path} does not take ${quoted(method.toUpperCase())}`);
    const label = `GET ${path}`;
    if (path === '/livez') exchange.answerPlainly(label, probeAnswer(200, 'alive'));
    else if (path === '/metrics') exchange.answerLater(label, this.#metricsAnswer());
    else if (this.#site.closing) exchange.answerPlainly(label, probeAnswer(503, 'stopping'));
    else if (this.#site.engine.ready) exchange.answerPlainly(label, probeAnswer(200, 'ready'));
    else exchange.answerPlainly(label, probeAnswer(503, 'starting'));
    return true;
  }

  async #metricsAnswer(): Promise<Answer> {
    const { metrics } = this.#site;
    return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
  }

  /** The client's address, and whether a trusted proxy vouches that it came over HTTPS. Asked for only when used. */
  #peerOf(response: Response, request: Request): { client: string; secure: boolean } {
    const { proxies } = this.#settings;
    if (proxies === null && !this.#needs.log.isLevelEnabled('debug')) return UNKNOWN_PEER;
    const peer = Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
    if (proxies === null || !proxies.has(peer)) return { client: peer, secure: false };
    return {
      client: clientAddress(proxies, peer, request.getHeader('x-forwarded-for')),
      secure: request.getHeader('x-forwarded-proto').trim().toLowerCase() === 'https',
    };
  }

  #requestIdOf(request: Request): string {
    const given = request.getHeader('x-request-id');
    if (given !== '' && REQUEST_ID.test(given)) return given;
    this.#requestCount++;
    return `${this.#needs.instanceId}-${this.#requestCount}`;
  }
}

const UNKNOWN_PEER = { client: '', secure: false };

function probeAnswer(status: number, text: string): Answer {
  return { status, contentType: JSON_TYPE, body: `{"status":"${text}"}` };
}
