/** What the server answers, as far as the hook reads it, and what a bad answer means. */

export type RunStatus = "created" | "queued" | "processing" | "ready" | "error";
export type RunStep = "resolve" | "extract" | "parse" | "match" | "rank" | "finalize";

export interface Run {
  readonly runId: string;
  readonly status: RunStatus;
  readonly step: RunStep;
  readonly inputUrl: string;
  readonly canonicalUrl: string;
  readonly startupId: string | null;
  readonly matchCount: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly corpusVersion: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Signal {
  readonly signal: string;
  readonly agrees: number | null;
  readonly says: string;
  readonly weight: number | null;
}

/** `score` is from 0 to 1000, `percent` the same of a hundred; cheques are in whole US dollars. */
export interface Match {
  readonly rank: number;
  readonly investorId: string;
  readonly name: string;
  readonly firm: string;
  readonly url: string | null;
  readonly score: number;
  readonly percent: number;
  readonly sectors: readonly string[];
  readonly stage: string | null;
  readonly stages: readonly string[];
  readonly chequeMin: number | null;
  readonly chequeMax: number | null;
  readonly deals: number | null;
  readonly why: readonly Signal[];
}

export interface Startup {
  readonly name: string;
  readonly url: string;
  readonly stage: string | null;
  readonly country: string | null;
  readonly raising: number | null;
  readonly sectors: readonly string[];
  readonly pitch: string;
}

/** Under way; `ready` here is a run that has ended and whose matches are being fetched. */
export interface RunUnderWay extends Run {
  readonly status: Exclude<RunStatus, "error">;
}

export interface FailedRun extends Run {
  readonly status: "error";
}

export interface ReadyRun extends Run {
  readonly status: "ready";
  readonly startup: Startup;
  readonly matches: readonly Match[];
  readonly next: string | null;
}

/** `code` is the server's (`INVALID_URL`, `STARTUP_NOT_FOUND`, …) or one of ours. */
export type ErrorCode = "UNREACHABLE" | "BAD_ANSWER" | "TIMED_OUT" | (string & {});

export interface MatchRunError {
  readonly code: ErrorCode;
  readonly message: string;
  /** The HTTP status, where there was one that said so. */
  readonly status: number | null;
  /** Whether starting again may help. */
  readonly retryable: boolean;
}

export type Answer =
  | { readonly kind: "run"; readonly run: Run }
  /** Worth asking again, in so many milliseconds if the server said when. */
  | { readonly kind: "later"; readonly error: MatchRunError; readonly after: number | null }
  | { readonly kind: "refused"; readonly error: MatchRunError };

const STATUSES: readonly string[] = [
  "created",
  "queued",
  "processing",
  "ready",
  "error",
] satisfies RunStatus[];
const REQUEST_MS_MAX = 15_000; // a request that hangs is a server that is gone
const RETRY_AFTER_MS_MAX = 60_000; // nobody watches a page for longer: better to say so

export function errorOf(
  code: ErrorCode,
  message: string,
  retryable = true,
  status: number | null = null,
): MatchRunError {
  return { code, message, status, retryable };
}

export function isRun(found: unknown): found is Run {
  const run = found as Run | null;
  return typeof run === "object" && typeof run?.runId === "string" && STATUSES.includes(run.status);
}

export function hasMatches(run: Run): run is ReadyRun {
  const ready = run as ReadyRun;
  return run.status === "ready" && Array.isArray(ready.matches) && !!ready.startup;
}

/** Asks once. Never throws: whatever happens is an answer. */
export async function ask(
  send: typeof fetch,
  url: string,
  signal: AbortSignal,
  init?: RequestInit,
): Promise<Answer> {
  try {
    return await bounded(signal, async (each) =>
      read(await send(url, { ...init, signal: each, headers: { ...HEADERS, ...init?.headers } })),
    );
  } catch {
    const message = "The server cannot be reached. Try again in a moment.";
    return { kind: "later", error: errorOf("UNREACHABLE", message), after: null };
  }
}

const HEADERS = { accept: "application/json" };

async function read(response: Response): Promise<Answer> {
  const { ok, status } = response;
  const said: unknown = await response.json().catch(() => null);
  if (ok && isRun(said)) {
    return { kind: "run", run: said };
  }
  const problem = (said ?? {}) as { code?: unknown; message?: unknown; detail?: unknown };
  const again = ok || status >= 500 || status === 429 || status === 408;
  const error = errorOf(
    typeof problem.code === "string" && !ok ? problem.code : "BAD_ANSWER",
    text(problem.message) ?? text(problem.detail) ?? `The server's answer (${status}) is no run.`,
    again || status === 404 || status === 410, // a run that is gone: starting again makes another
    status,
  );
  const after = retryAfter(response.headers.get("retry-after"));
  return again && (after ?? 0) <= RETRY_AFTER_MS_MAX
    ? { kind: "later", error, after }
    : { kind: "refused", error };
}

function text(said: unknown): string | null {
  return typeof said === "string" && said ? said : null;
}

/** Seconds or a date, as milliseconds from now. */
export function retryAfter(header: string | null): number | null {
  if (!header) {
    return null;
  }
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(wait) ? null : wait;
}

/** Ends with `signal` or after its time, also where `fetch` does not listen to signals. */
async function bounded<T>(
  signal: AbortSignal,
  work: (each: AbortSignal) => Promise<T>,
): Promise<T> {
  const request = new AbortController();
  let stop = () => request.abort();
  const stopped = new Promise<never>((_, reject) => {
    stop = () => {
      request.abort();
      reject(new Error("stopped"));
    };
  });
  const timer = setTimeout(stop, REQUEST_MS_MAX);
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([work(request.signal), stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
