/**
 * The server's clock, as far as this browser can tell: a laptop whose own is wrong by an hour still
 * says "3 min ago". Corrected only when the difference is one that people notice.
 */

import { useSyncExternalStore } from "react";

const NOTICED_MS = 2_000; // `Date` has whole seconds, and answers take a while
let offset = 0;

/** From the `Date` of an answer, asked for and had at these times of the browser's clock. */
export function noteServerTime(date: string | null, asked: number, had: number): void {
  const at = date ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(at) || had - asked > 5_000) {
    return; // says too little about now
  }
  const found = at + 500 - (asked + had) / 2;
  offset = Math.abs(found) < NOTICED_MS ? 0 : found;
}

export function serverNow(): number {
  return Date.now() + offset;
}

/** How wrong the browser's clock is, in milliseconds; 0 if nobody would notice. */
export function clockOffset(): number {
  return offset;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;
let shown = 0;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

function tick(): void {
  shown = Math.floor(serverNow() / 1_000) * 1_000;
  for (const listener of listeners) {
    listener();
  }
}

/** The server's time, again every second; one timer for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => {
    shown ||= Math.floor(serverNow() / 1_000) * 1_000;
    return shown;
  });
}
