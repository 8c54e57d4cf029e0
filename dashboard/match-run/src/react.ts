/** `useMatchRun`: the core, as React sees it. */

import { useMemo, useState, useSyncExternalStore } from "react";
import { createMatchRun, type MatchRun, type MatchRunOptions, type StartOptions } from "./core.ts";
import type { Snapshot } from "./states.ts";

interface Actions {
  readonly startMatch: (url: string, options?: StartOptions) => void;
  readonly reset: () => void;
}

/** What it is and what can be done; `status` tells the rest apart. */
export type UseMatchRun = Snapshot & Actions;

/**
 * With options, or with nothing, a run of this component alone: options count when it is mounted.
 * With what `createMatchRun` made, that one, which several components may share.
 */
export function useMatchRun(given: MatchRunOptions | MatchRun = {}): UseMatchRun {
  const [own] = useState(() => ("subscribe" in given ? null : createMatchRun(given)));
  const { subscribe, getSnapshot, start, reset } = own ?? (given as MatchRun);
  const snapshot = useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
  return useMemo(() => ({ ...snapshot, startMatch: start, reset }), [snapshot, start, reset]);
}
