/**
 * The HTTP server: an HTTPS listener that serves everything, and an HTTP listener that serves /v1/insert, the probes and the
 * metrics. Probes and metrics need no key and are answered before the engine is ready.
 * Invariants: X-Forwarded headers of untrusted peers are ignored. A stop lets running requests finish, for a limited time.
 */
import type { Logger } from 'pino';
import { type Clock, ERRORS, QuarryError, quoted, type RandomBytes } from '../../base/index.js';
import type { EngineApi } from '../../engine/index.js';
import { AddressBook, type LookUpHost } from '../auth/addresses.js';
import { admit, bodyLengthOf } from '../auth/admission.js';
import { Authorizer } from '../auth/authorize.js';
import { PostgresRequests } from '../auth/postgres-requests.js';
import { Sessions } from '../auth/sessions.js';
import { SignInAttempts } from '../auth/sign-in-attempts.js';
import { ConsoleFiles } from '../endpoints/console.js';
import { Description } from '../endpoints/description.js';
import { ENDPOINTS, type Endpoint } from '../endpoints/endpoints.js';
import { HandlerRunner } from '../endpoints/handler-runner.js';
import { nameOf, Router, withoutTrailingSlash } from '../endpoints/router.js';
import { Inlets } from '../inlets/inlets.js';
import { NO_REFUSALS, RateLimiter } from '../limits/limits.js';
import { LiveHub } from '../live/live-hub.js';
import { Audit } from '../observability/audit.js';
import { Metrics } from '../observability/metrics.js';
import type { PostgresStats } from '../observability/postgres-metrics.js';
import { RequestLog } from '../observability/request-log.js';
import { reportEvaluation } from '../observability/request-report.js';
import { RunningQueries } from '../observability/running-queries.js';
import { SlowQueries } from '../observability/slow-queries.js';
import { SAMPLE_SECONDS, StatsHistory } from '../observability/stats-history.js';
import type { ParquetThreads } from '../parquet/parquet-threads.js';
import { type Answer, JSON_TYPE } from './answer.js';
import { ByteBudget } from './body.js';
import { BodyDecoder } from './decode.js';
import { HttpRequest } from './http-request.js';
import type { HttpSettings } from './http-settings.js';
import { Peer } from './proxy.js';
import type { ServerContext } from './server-context.js';
import { type Listener, openListener, type Response, type UwsRequest } from './uws.js';

export interface HttpDependencies {
  readonly engine: EngineApi;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock, with fractions. */
  readonly elapsedMs: () => number;
  readonly log: Logger;
  /** Left out = the audit goes only to the log. */
  readonly audit?: Audit;
  readonly parquet: ParquetThreads;
  /** Random prefix of the request IDs that this server generates. */
  readonly instanceId: string;
  /** For new keys and sessions. */
  readonly randomBytes: RandomBytes;
  /** Left out = no console. */
  readonly consoleFiles?: ConsoleFiles;
  /** Left out = the resolver of the operating system. */
  readonly lookUpHost?: LookUpHost;
  /** Left out = the endpoints of the interface. */
  readonly endpoints?: readonly Endpoint[];
}

export interface Ports {
  readonly httpsPort: number;
  readonly httpPort: number;
}

interface PageArrival {
  readonly request: UwsRequest;
  readonly method: string;
  readonly path: string;
  readonly secure: boolean;
}

/** Paths that need no key and are answered before the engine is ready. */
const PROBES: ReadonlySet<string> = new Set(['/readyz', '/livez', '/metrics', '/metrics/history']);
const REQUEST_ID = /^[ -~]{1,128}$/;

/** Interval of checks of waiting requests. uWebSockets drops a connection 10 s after its last byte, so it must be shorter. */
const TICK_MS_MAX = 4_000;

const MINUTE_MS = 60_000;
/** Time for which the first look-up of host names may delay readiness. */
const LOOK_UP_WAIT_MS_MAX = 2_000;

export class HttpServer {
  readonly postgresRequests: PostgresRequests;
  readonly #settings: HttpSettings;
  readonly #dependencies: HttpDependencies;
  readonly #context: ServerContext;
  readonly #router: Router;
  readonly #inlets: Inlets;
  readonly #addresses: AddressBook;
  readonly #limiter: RateLimiter | null;
  readonly #authorizer: Authorizer;
  readonly #console: ConsoleFiles;
  readonly #description: Description;
  readonly #history: StatsHistory;
  /** Includes the listeners of earlier certificates, whose connections stay open. */
  readonly #listeners: Listener[] = [];
  /** The listener that accepts HTTPS connections. */
  #secure: Listener | null = null;
  readonly #timers: NodeJS.Timeout[] = [];
  #lookUpUntilMs: number | null = null;
  #requestCount = 0;
  #whenIdle: (() => void) | null = null;
  #closed: Promise<void> | null = null;

  constructor(settings: HttpSettings, dependencies: HttpDependencies) {
    this.#settings = settings;
    this.#dependencies = dependencies;
    const { engine, clock, elapsedMs, log, randomBytes, endpoints = ENDPOINTS } = dependencies;
    const { audit = new Audit(log, null, () => clock.nowMs()) } = dependencies;
    this.#router = new Router(endpoints);
    this.#addresses = new AddressBook(dependencies.lookUpHost);
    this.#console = dependencies.consoleFiles ?? ConsoleFiles.none();
    this.#description = new Description(endpoints);
    this.#limiter = settings.limits === null ? null : new RateLimiter(settings.limits, endpoints);
    const attempts = this.#limiter === null ? null : new SignInAttempts(elapsedMs);
    const shared = {
      engine,
      clock,
      elapsedMs,
      sessions: new Sessions(randomBytes, attempts),
      addresses: this.#addresses,
      limiter: this.#limiter,
    };
    const authorizer = new Authorizer(shared);
    this.#authorizer = authorizer;
    const live = new LiveHub({ engine, elapsedMs, settings: settings.live });
    const budget = new ByteBudget(settings.bodyBytesReservedMax);
    const nowMs = (): number => clock.nowMs();
    const queries = new RunningQueries({ elapsedMs, nowMs, instanceId: dependencies.instanceId });
    const slowQueries = new SlowQueries(settings.slowQueryMs);
    const context: ServerContext = {
      runner: new HandlerRunner({
        ...{ ...shared, authorizer, randomBytes, live, queries, slowQueries },
        evaluated: (notes, ms, error) => reportEvaluation(context, notes, ms, error),
      }),
      elapsedMs,
      queries,
      log: new RequestLog({ log, audit, engine, slowQueries, nowMs }),
      budget,
      decoder: new BodyDecoder(),
      metrics: new Metrics(engine, {
        openRequests: () => context.openCount,
        liveStreams: () => live.streamCount,
        reservedBodyBytes: () => budget.reservedBytes,
        refusals: () => ({
          ...NO_REFUSALS,
          ...this.#limiter?.refusals,
          'sign-ins': attempts?.refusedCount ?? 0,
        }),
      }),
      waiting: new Set(),
      bodySecondsMax: settings.bodySecondsMax,
      ...{ arrowBatchBytesMax: settings.arrowBatchBytesMax, parquet: dependencies.parquet },
      stallSecondsMax: settings.stallSecondsMax,
      closing: false,
      openCount: 0,
      closed: () => {
        if (context.openCount === 0) this.#whenIdle?.();
      },
    };
    this.#context = context;
    const queryNames = new Set(endpoints.filter(isCountedQuery).map(nameOf));
    this.#history = new StatsHistory({ totals: () => context.metrics.totals(queryNames), nowMs, elapsedMs });
    this.#inlets = new Inlets(settings.inlets, { engine, clock, authorizer, endpoints, server: context });
    this.postgresRequests = new PostgresRequests({
      engine,
      limiter: this.#limiter,
      authorizer,
      clock,
      elapsedMs,
      endpoints,
      log: context.log,
      queries,
      nextRequestId: () => this.#nextRequestId(),
    });
  }

  /** Opens both ports and returns their numbers. If one cannot be opened, throws and opens neither. */
  listen(): Ports {
    const { httpsPort, httpPort } = this.#settings;
    try {
      this.#secure = this.#open(httpsPort, true, null);
      const plain = this.#open(httpPort, false, null);
      const ports = { httpsPort: this.#secure.port, httpPort: plain.port };
      this.#reportUnlimited(plain);
      const secondsMin = Math.min(this.#settings.bodySecondsMax, this.#settings.stallSecondsMax);
      const tickMs = Math.min(TICK_MS_MAX, (secondsMin * 1000) / 4);
      this.#every(tickMs, () => {
        for (const request of this.#context.waiting) request.tick();
      });
      this.#every(SAMPLE_SECONDS * 1000, () => this.#history.sample());
      this.#every(MINUTE_MS, () => this.#everyMinute());
      return ports;
    } catch (error) {
      for (const listener of this.#listeners.splice(0)) listener.stopAccepting();
      throw error;
    }
  }

  #reportUnlimited({ unlimitedReason }: Listener): void {
    if (unlimitedReason === null) return;
    this.#dependencies.log.warn(
      { reason: unlimitedReason },
      'the receive buffer of connections has no limit: a fast sender of lines can delay other requests, and be refused with 9003',
    );
  }

  #open(port: number, overTls: boolean, before: Listener | null): Listener {
    const { host, certFile, keyFile } = this.#settings;
    const handler = (response: Response, request: UwsRequest): void =>
      this.#handle(response, request, overTls);
    const tls = overTls ? { certFile, keyFile } : null;
    const listener = openListener({ host, port, tls }, handler, before);
    this.#listeners.push(listener);
    return listener;
  }

  /**
   * Reads certificate and key again, for new connections. Open connections keep theirs. If the files cannot be used, throws and
   * keeps the old pair.
   */
  reloadCertificate(): void {
    if (this.#secure === null || this.#context.closing) return;
    this.#secure = this.#open(this.#secure.port, true, this.#secure);
  }

  /** Resolves when the host names of the engine's catalog were looked up, or after a limited time. */
  async ready(): Promise<void> {
    this.#history.sample();
    this.#addresses.see(this.#dependencies.engine.catalog());
    await this.#addresses.whenSettled(LOOK_UP_WAIT_MS_MAX);
  }

  /** Adds the metrics of the Postgres port to /metrics. */
  showPostgres(stats: () => PostgresStats): void {
    this.#context.metrics.showPostgres(stats);
  }

  #every(ms: number, run: () => void): void {
    const timer = setInterval(run, ms);
    timer.unref();
    this.#timers.push(timer);
  }

  #everyMinute(): void {
    const { engine } = this.#dependencies;
    if (!engine.ready) return;
    this.#addresses.see(engine.catalog());
    this.#addresses.refresh();
    this.#limiter?.sweep(engine.catalog(), this.#dependencies.elapsedMs());
  }

  /** Stops listening, waits a limited time for running requests, then closes all connections. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const context = this.#context;
    context.closing = true;
    // Ends line bodies, whose duration is not limited.
    for (const request of context.waiting) request.tick();
    for (const listener of this.#listeners) listener.stopAccepting();
    if (context.openCount > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#settings.closeSecondsMax * 1000);
        this.#whenIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    for (const listener of this.#listeners.splice(0)) listener.closeConnections();
  }

  #handle(response: Response, request: UwsRequest, overTls: boolean): void {
    const method = request.getMethod();
    const path = withoutTrailingSlash(request.getUrl());
    const length = bodyLengthOf(request, method);
    const peer = new Peer(response, request, this.#settings.proxies);
    const httpRequest = new HttpRequest(this.#context, response, {
      requestId: this.#requestIdOf(request),
      peer,
      bodyless: method === 'head',
      length,
    });
    try {
      if (this.#probe(httpRequest, method, path, request.getQuery())) return;
      const secure = overTls || peer.isForwardedSecure;
      const found = this.#router.find(path);
      if (found === null && this.#inlets.serve(httpRequest, { request, method, path, length, peer })) return;
      if (found === null && this.#page(httpRequest, { request, method, path, secure })) return;
      const arrival = { request, found, method, path, secure, length, peer };
      void httpRequest.serve(admit(this.#authorizer, arrival, httpRequest.report));
    } catch (error) {
      httpRequest.refuse(error);
    }
  }

  /** Answers probes and metrics; false for any other path. */
  #probe(request: HttpRequest, method: string, path: string, query: string): boolean {
    if (!PROBES.has(path)) return false;
    if (method !== 'get' && method !== 'head')
      throw new QuarryError(1505, `${path} does not take ${quoted(method.toUpperCase())}`);
    const label = `GET ${path}`;
    if (path === '/livez') request.answerPlainly(label, probeAnswer(200, 'alive'));
    else if (path === '/metrics') void request.answerLater(label, this.#metricsAnswer());
    else if (path === '/metrics/history')
      request.answerPlainly(label, jsonAnswer(200, this.#history.list(query)));
    else if (this.#context.closing) request.answerPlainly(label, probeAnswer(503, 'stopping'));
    else if (this.#isReady()) request.answerPlainly(label, readyAnswer(this.#dependencies.engine.degraded));
    else request.answerPlainly(label, probeAnswer(503, 'starting'));
    return true;
  }

  /** Answers the description's and the console's paths; false for any other. */
  #page(httpRequest: HttpRequest, { request, method, path, secure }: PageArrival): boolean {
    const pageRequest = {
      ...{ method, path, overHttps: secure },
      acceptEncoding: request.getHeader('accept-encoding'),
      ifNoneMatch: request.getHeader('if-none-match'),
    };
    const described = this.#description.answer(pageRequest);
    if (described !== null) {
      httpRequest.answerPlainly(`GET ${path}`, described);
      return true;
    }
    const answer = this.#console.answer(pageRequest);
    if (answer === null) return false;
    httpRequest.answerPlainly('GET /console', answer);
    return true;
  }

  /** True if the engine is ready and its first host names were looked up, or the time for that is over. */
  #isReady(): boolean {
    const { engine, elapsedMs } = this.#dependencies;
    if (!engine.ready) return false;
    this.#addresses.see(engine.catalog());
    this.#lookUpUntilMs ??= elapsedMs() + LOOK_UP_WAIT_MS_MAX;
    return this.#addresses.settled || elapsedMs() >= this.#lookUpUntilMs;
  }

  async #metricsAnswer(): Promise<Answer> {
    const { metrics } = this.#context;
    return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
  }

  #requestIdOf(request: UwsRequest): string {
    const clientId = request.getHeader('x-request-id');
    if (clientId !== '' && REQUEST_ID.test(clientId)) return clientId;
    return this.#nextRequestId();
  }

  #nextRequestId(): string {
    this.#requestCount++;
    return `${this.#dependencies.instanceId}-${this.#requestCount}`;
  }
}

/** A stream of live answers lasts until its client ends it. */
const isCountedQuery = (endpoint: Endpoint): boolean =>
  endpoint.scope === 'database' && endpoint.isQuery && !endpoint.isLive;

/** The answer of a ready server, with the errors that some requests get nevertheless. */
function readyAnswer(degraded: EngineApi['degraded']): Answer {
  const ready = probeAnswer(200, 'ready');
  if (degraded.length === 0) return ready;
  const reasons = degraded.map((code) => ({ code, message: ERRORS[code].condition }));
  return { ...ready, body: JSON.stringify({ status: 'ready', degraded: reasons }) };
}

function probeAnswer(status: number, text: string): Answer {
  return jsonAnswer(status, { status: text });
}

const jsonAnswer = (status: number, body: object): Answer => ({
  status,
  contentType: JSON_TYPE,
  body: JSON.stringify(body),
});
