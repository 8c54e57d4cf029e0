/** What cannot be written; `tsc` is the test. */

import type { MatchRunError, Run } from "../src/index.ts";
import type { UseMatchRun } from "../src/react.ts";
import { failed, IDLE, polling, ready } from "../src/states.ts";

export function narrowed(one: UseMatchRun): string {
  switch (one.status) {
    case "idle":
      // @ts-expect-error there is no run yet
      one.run.runId;
      return "nothing";
    case "loading":
      return one.matches satisfies null as unknown as string;
    case "polling":
      one.startupName satisfies null;
      return one.run.step;
    case "ready":
      one.error satisfies null;
      return one.startupName + one.matches.length + one.matchCount;
    case "error":
      return one.error.code;
    default:
      return one satisfies never;
  }
}

export function byFlag(one: UseMatchRun): number {
  if (one.isReady) {
    return one.matches.length;
  }
  if (one.isError) {
    return one.error.message.length;
  }
  // @ts-expect-error matches only when it is ready
  return one.matches.length;
}

declare const run: Run;
declare const error: MatchRunError;

// @ts-expect-error a run may have failed: that is no polling
polling(run, false);
// @ts-expect-error ready has matches
ready(run);
// @ts-expect-error an error says what went wrong
failed(null, null);
// @ts-expect-error nobody is idle with an error
({ ...IDLE, error }) satisfies UseMatchRun;
// @ts-expect-error nobody is idle and ready
({ ...IDLE, isReady: true, startMatch() {}, reset() {} }) satisfies UseMatchRun;
