/** A server that answers what a test says, in frozen time; and what was asked of it. */

import { vi } from "vitest";
import { createMatchRun, type MatchRunOptions } from "../src/core.ts";
import type { Snapshot } from "../src/states.ts";

type Said = Response | Promise<Response>;

export interface Asked {
  readonly url: string;
  readonly body: { url: string; fresh?: boolean } | null;
  readonly signal: AbortSignal;
  readonly at: number;
}

export const RUN_ID = "0198f4c2-0000-7000-8000-000000000001";
const BEGAN = Date.parse("2026-03-02T09:00:00Z");

export function run(status = "processing", more: object = {}) {
  return {
    runId: RUN_ID,
    status,
    step: "match",
    inputUrl: "acme.com",
    canonicalUrl: "acme.com",
    startupId: "acme",
    matchCount: null,
    errorCode: null,
    errorMessage: null,
    corpusVersion: 7,
    createdAt: "2026-03-02T09:00:00Z",
    updatedAt: "2026-03-02T09:00:00.000001Z",
    ...more,
  };
}

export function readyRun(more: object = {}) {
  const matches = [{ rank: 1, investorId: "inv-1", name: "North", score: 900 }];
  return run("ready", { matchCount: 212, matches, startup: { name: "Acme" }, next: null, ...more });
}

export function failedRun(code: string, message: string) {
  return run("error", { errorCode: code, errorMessage: message });
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}

export function problem(status: number, code: string, headers: Record<string, string> = {}) {
  return json({ code, message: `said: ${code}`, status }, status, headers);
}

export const html = (status = 200) =>
  new Response("<!doctype html><h1>Welcome</h1>", {
    status,
    headers: { "content-type": "text/html" },
  });

export const never = () => new Promise<Response>(() => undefined);
export const gone = () => Promise.reject(new TypeError("fetch failed"));

/** A response of which the test decides when it comes. */
export function held(): { answer: Promise<Response>; say: (response: Response) => void } {
  let say: (response: Response) => void = () => undefined;
  const answer = new Promise<Response>((resolve) => {
    say = resolve;
  });
  return { answer, say };
}

/** An event stream that the test writes. */
export class Events {
  readonly response: Response;
  wasCancelled = false;
  #control!: ReadableStreamDefaultController<Uint8Array>;

  constructor(type = "text/event-stream; charset=utf-8") {
    const body = new ReadableStream<Uint8Array>({
      start: (control) => {
        this.#control = control;
      },
      cancel: () => {
        this.wasCancelled = true;
      },
    });
    this.response = new Response(body, { headers: { "content-type": type } });
  }

  write(text: string | Uint8Array): void {
    if (this.wasCancelled) {
      return; // nobody reads it any more
    }
    this.#control.enqueue(typeof text === "string" ? new TextEncoder().encode(text) : text);
  }

  send(body: unknown, name = "run"): void {
    this.write(`event: ${name}\nid: x\ndata: ${JSON.stringify(body)}\n\n`);
  }

  close(): void {
    this.#control.close();
  }

  break(): void {
    this.#control.error(new TypeError("network error"));
  }
}

export class ScriptedServer {
  readonly posts: Asked[] = [];
  readonly polls: Asked[] = [];
  readonly streams: Asked[] = [];
  onPost: (asked: Asked) => Said = () => json(run("queued"), 202);
  onPoll: (asked: Asked, nth: number) => Said = () => json(run());
  onStream: (asked: Asked, nth: number) => Said = () => problem(404, "NOT_FOUND");

  readonly fetch = ((input: string, init: RequestInit) => {
    const body = typeof init.body === "string" ? JSON.parse(init.body) : null;
    const asked = {
      url: input,
      body,
      signal: init.signal as AbortSignal,
      at: Date.now() - BEGAN,
    };
    if (init.method === "POST") {
      this.posts.push(asked);
      return Promise.resolve(this.onPost(asked));
    }
    if (input.endsWith("/events")) {
      this.streams.push(asked);
      return Promise.resolve(this.onStream(asked, this.streams.length));
    }
    this.polls.push(asked);
    return Promise.resolve(this.onPoll(asked, this.polls.length));
  }) as typeof fetch;

  get asked(): number {
    return this.posts.length + this.polls.length + this.streams.length;
  }
}

/** The core on a scripted server, with every snapshot that it showed. */
export function scripted(options: MatchRunOptions = {}) {
  const server = new ScriptedServer();
  const match = createMatchRun({ fetch: server.fetch, baseUrl: "http://handfast", ...options });
  const seen: Snapshot[] = [match.getSnapshot()];
  const unsubscribe = match.subscribe(() => seen.push(match.getSnapshot()));
  return {
    server,
    match,
    seen,
    unsubscribe,
    get now() {
      return match.getSnapshot();
    },
    get statuses() {
      return seen.map((one) => one.status);
    },
  };
}

export function freeze(): void {
  vi.useFakeTimers({ now: BEGAN });
}

/** Time goes on by so much, and everything that was due then has happened. */
export async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await settle();
}

/** What is due now happens; the clock stands still. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) {
    await Promise.resolve();
  }
  await vi.advanceTimersByTimeAsync(0);
}

/** A page that can be hidden, where there is none. */
export class Page extends EventTarget {
  hidden = false;

  show(isShown: boolean): void {
    this.hidden = !isShown;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}
