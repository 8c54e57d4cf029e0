/** A run's server-sent events by `fetch`: `EventSource` takes no `fetch` of yours. */

import { createParser } from "eventsource-parser";
import { isRun, type Run } from "./answers.ts";

/**
 * Reads until the stream ends, breaks, is aborted or cannot be had; which of them does not matter,
 * because polling goes on in all four. `onLife` is called for every sign of life: comments count.
 */
export async function follow(
  send: typeof fetch,
  url: string,
  signal: AbortSignal,
  onLife: () => void,
  onRun: (run: Run) => void,
): Promise<void> {
  try {
    const response = await send(url, { signal, headers: { accept: "text/event-stream" } });
    const type = response.headers.get("content-type") ?? "";
    if (!response.ok || !type.startsWith("text/event-stream") || !response.body) {
      return;
    }
    const parser = createParser({
      onEvent(event) {
        const found: unknown = JSON.parse(event.data);
        if (event.event === "run" && isRun(found)) {
          onRun(found);
        }
      },
    });
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    signal.addEventListener("abort", () => void reader.cancel().catch(() => undefined));
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) {
        return;
      }
      onLife();
      parser.feed(decoder.decode(value, { stream: true }));
    }
  } catch {
    // lost: polling goes on
  }
}
