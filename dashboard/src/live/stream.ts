/**
 * The operators' events, by `fetch` and not by `EventSource`, which tells nobody why it failed.
 * One stream for each tab: it goes on after the last event it had, waits longer after each failure,
 * and lets go while nobody looks at the page.
 */

import { createParser } from "eventsource-parser";

export type LiveStatus =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  | { readonly kind: "paused" }
  /** Lost; since when by the server's clock. */
  | { readonly kind: "lost"; readonly since: number };

export interface LiveMessage {
  readonly type: string;
  readonly id: string | null;
  readonly data: unknown;
}

export interface StreamOptions {
  readonly url: string;
  readonly send: (url: string, init: RequestInit) => Promise<Response>;
  readonly now: () => number;
  readonly onStatus: (status: LiveStatus) => void;
  readonly onMessage: (message: LiveMessage) => void;
  /** Live again, and before it had no event to go on after: what came between is not told. */
  readonly onGap: () => void;
  /** Nobody is signed in any more: it stops until it is started again. */
  readonly onRefused: () => void;
  readonly random?: () => number;
}

export const SILENCE_MS_MAX = 40_000; // the server says something every 15 s
const WAIT_MS_MIN = 500;
const WAIT_MS_MAX = 30_000;

/** How long to wait before the attempt after so many failures; spread, so that not all come at once. */
export function backoff(failures: number, random: number): number {
  const most = Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** Math.min(failures, 10));
  return most * (0.5 + random / 2);
}

export interface LiveStream {
  start(): void;
  /** Lets go; `start` goes on after the last event. */
  pause(): void;
  stop(): void;
}

export function createStream(options: StreamOptions): LiveStream {
  const { url, send, now, onStatus, onMessage, onGap, onRefused, random = Math.random } = options;
  let lastId: string | null = null;
  let wasLive = false;
  let failures = 0;
  let lostSince: number | null = null;
  let current: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function connect(): Promise<void> {
    const controller = new AbortController();
    current = controller;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => controller.abort(), SILENCE_MS_MAX);
    };
    try {
      alive();
      const headers: Record<string, string> = { accept: "text/event-stream" };
      if (lastId !== null) {
        headers["last-event-id"] = lastId;
      }
      const response = await send(url, { headers, signal: controller.signal });
      if (response.status === 401 || response.status === 403) {
        current = null;
        onRefused();
        return;
      }
      if (!response.ok || !response.body) {
        throw new Error(`answered ${response.status}`);
      }
      failures = 0;
      lostSince = null;
      onStatus({ kind: "live" });
      if (wasLive && lastId === null) {
        onGap();
      }
      wasLive = true;
      await read(response.body.getReader(), controller.signal, alive);
    } catch {
      // whatever it was: we try again
    } finally {
      clearTimeout(silence);
    }
    if (current === controller) {
      again();
    }
  }

  async function read(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    signal: AbortSignal,
    alive: () => void,
  ): Promise<void> {
    const parser = createParser({
      onEvent({ id, event, data }) {
        if (id !== undefined) {
          lastId = id;
        }
        onMessage({ type: event ?? "message", id: id ?? null, data: parsed(data) });
      },
    });
    const decoder = new TextDecoder();
    const cancel = () => void reader.cancel().catch(() => undefined);
    signal.addEventListener("abort", cancel);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || signal.aborted) {
          return;
        }
        alive();
        parser.feed(decoder.decode(value, { stream: true }));
      }
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  function again(): void {
    current = null;
    lostSince ??= now();
    // A stream that only ended, as when the server is started anew, is tried again before it counts.
    onStatus(failures === 0 ? { kind: "connecting" } : { kind: "lost", since: lostSince });
    timer = setTimeout(() => void connect(), backoff(failures, random()));
    failures += 1;
  }

  function release(): void {
    clearTimeout(timer);
    const held = current;
    current = null;
    held?.abort();
  }

  return {
    start() {
      release();
      onStatus(lostSince === null ? { kind: "connecting" } : { kind: "lost", since: lostSince });
      void connect();
    },
    pause() {
      release();
      onStatus({ kind: "paused" });
    },
    stop: release,
  };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}
