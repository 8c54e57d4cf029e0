/** How questions are asked again: rarely while there is a stream, often while there is none. */

import { QueryClient } from "@tanstack/react-query";
import { Problem } from "./api/problem.ts";

const WITHOUT_STREAM_MS = 5_000;
let isLive = false;

export function noteLive(live: boolean): void {
  isLive = live;
}

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 500,
        networkMode: "always", // the server may be on this machine
        retry: (count, error) =>
          error instanceof Problem && (error.isUnreachable || error.status >= 500) && count < 2,
        refetchInterval: ({ meta, state }) => {
          if (state.error instanceof Problem && state.error.status === 401) {
            return false;
          }
          const every = Number(meta?.everySeconds ?? 60) * 1_000;
          return isLive ? every : Math.min(every, WITHOUT_STREAM_MS);
        },
      },
      mutations: { networkMode: "always" },
    },
  });
}
