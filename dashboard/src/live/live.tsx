/** The tab's one stream: started with the shell, let go while the tab is hidden. */

import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Answers } from "../api/client.ts";
import { noteLive } from "../queries.ts";
import { sessionEnded, useSession } from "../session/session.ts";
import { serverNow, useNow } from "../time/clock.ts";
import { span } from "../time/format.ts";
import { areaOf, createRefresher } from "./refresh.ts";
import { createStream, type LiveMessage, type LiveStatus } from "./stream.ts";

type Listener = (message: LiveMessage) => void;

interface Live {
  readonly status: LiveStatus;
  readonly listen: (listener: Listener) => () => void;
}

const LiveContext = createContext<Live>({
  status: { kind: "connecting" },
  listen: () => () => undefined,
});

/** What `stats` brings: the figures of the overview, every few seconds. */
export const STATS_KEY = ["/admin/stats", {}] as const;

export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const session = useSession();
  const [status, setStatus] = useState<LiveStatus>({ kind: "connecting" });
  const listeners = useRef(new Set<Listener>());

  useEffect(() => {
    if (session !== "signed-in") {
      setStatus({ kind: "paused" });
      return;
    }
    const refresher = createRefresher(queries);
    const stream = createStream({
      url: "/admin/events",
      send: (url, init) => fetch(url, { ...init, credentials: "same-origin" }),
      now: serverNow,
      onStatus(next) {
        noteLive(next.kind === "live");
        setStatus((before) => {
          if (next.kind === "live" && before.kind === "lost") {
            void queries.invalidateQueries(); // back: what was missed is asked for
          }
          return next;
        });
      },
      onMessage(message) {
        if (message.type === "stats") {
          queries.setQueryData<Answers["StatsView"]>(
            STATS_KEY,
            (before) => before && { ...before, stats: message.data as Answers["Stats"] },
          );
          refresher.touch("stats");
        } else if (message.type === "reset") {
          void queries.invalidateQueries();
        } else {
          refresher.touch(areaOf(message.type));
        }
        for (const listener of listeners.current) {
          listener(message);
        }
      },
      onGap: () => void queries.invalidateQueries(),
      onRefused: sessionEnded,
    });
    const follow = () => (document.hidden ? stream.pause() : stream.start());
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      stream.stop();
      refresher.stop();
    };
  }, [queries, session]);

  const live = useMemo<Live>(
    () => ({
      status,
      listen(listener) {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
    }),
    [status],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLive(): Live {
  return useContext(LiveContext);
}

/** Every message of the stream, for a page that shows them as they come. */
export function useMessages(listener: Listener): void {
  const { listen } = useLive();
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => listen((message) => latest.current(message)), [listen]);
}

const WORDS = { connecting: "connecting", live: "live", paused: "paused", lost: "lost" } as const;

/** Quiet in the corner; said aloud only when it changes. */
export function LiveIndicator() {
  const { status } = useLive();
  return (
    <span className={`live live-${status.kind}`} role="status">
      <span className="live-dot" aria-hidden="true" />
      {status.kind === "lost" ? <Lost since={status.since} /> : WORDS[status.kind]}
    </span>
  );
}

function Lost({ since }: { readonly since: number }) {
  const now = useNow();
  const seconds = Math.max(0, (now - since) / 1000);
  return (
    <>
      server gone<span aria-hidden="true"> for {span(seconds)}</span>
    </>
  );
}
