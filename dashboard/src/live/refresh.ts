/** Events become questions asked again: those of their area, together, and not too often. */

import type { Query, QueryClient } from "@tanstack/react-query";

export const EVERY_MS = 1_500; // a busy system has thousands of events a second

export function areaOf(type: string): string {
  return type.split(".", 1)[0] ?? type;
}

export interface Refresher {
  touch(area: string): void;
  stop(): void;
}

/** The first event is answered at once, what follows is gathered. */
export function createRefresher(queries: Pick<QueryClient, "invalidateQueries">): Refresher {
  let waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    timer = undefined;
    if (waiting.size === 0) {
      return;
    }
    const areas = waiting;
    waiting = new Set();
    timer = setTimeout(flush, EVERY_MS);
    void queries.invalidateQueries({ predicate: (query) => follows(query, areas) });
  }

  return {
    touch(area) {
      waiting.add(area);
      if (timer === undefined) {
        timer = setTimeout(flush, 0);
      }
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

function follows(query: Pick<Query, "meta">, areas: ReadonlySet<string>): boolean {
  const own = (query.meta?.areas ?? []) as readonly string[];
  return own.some((area) => areas.has(area));
}
