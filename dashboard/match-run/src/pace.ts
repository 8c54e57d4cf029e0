/** When to ask again, and when to give up. */

export const POLL_MS = 2_000;
export const POLLS_MAX = 30; // the failsafe: a minute, when answers come at once
export const SLOW_POLL_MS = 10_000;
export const PATIENCE_MS_MAX = 360_000; // patient mode: six minutes, in which the page was seen

export interface Pace {
  readonly wait: number;
  readonly slow: boolean;
}

/** After so many polls and so much time; null when it is enough. */
export function pace(polls: number, elapsed: number, patient: boolean): Pace | null {
  if (patient ? elapsed >= PATIENCE_MS_MAX : polls >= POLLS_MAX) {
    return null;
  }
  const slow = polls >= POLLS_MAX;
  return { slow, wait: slow ? Math.min(SLOW_POLL_MS, PATIENCE_MS_MAX - elapsed) : POLL_MS };
}
