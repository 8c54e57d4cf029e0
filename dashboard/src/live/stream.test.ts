import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { backoff, createStream, type LiveStatus, SILENCE_MS_MAX } from "./stream.ts";

/** A server that is scripted: each answer is a body that the test writes to, or a status. */
function scripted() {
  const asked: { headers: Record<string, string>; signal: AbortSignal }[] = [];
  const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
  const answers: (number | "gone" | "body")[] = [];
  const statuses: LiveStatus[] = [];
  const messages: { type: string; data: unknown }[] = [];
  let refused = 0;
  let gaps = 0;
  const stream = createStream({
    url: "/admin/events",
    send: async (_, init) => {
      asked.push({
        headers: init.headers as Record<string, string>,
        signal: init.signal as AbortSignal,
      });
      const answer = answers.shift() ?? "body";
      if (answer === "gone") {
        throw new TypeError("no network");
      }
      if (answer !== "body") {
        return new Response(null, { status: answer });
      }
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => void bodies.push(controller),
      });
      return new Response(body);
    },
    now: () => 1_000,
    onStatus: (status) => statuses.push(status),
    onMessage: ({ type, data }) => messages.push({ type, data }),
    onRefused: () => {
      refused += 1;
    },
    onGap: () => {
      gaps += 1;
    },
    random: () => 1,
  });
  const write = async (text: string) => {
    bodies.at(-1)?.enqueue(new TextEncoder().encode(text));
    await vi.advanceTimersByTimeAsync(0);
  };
  const refusals = () => refused;
  return { stream, asked, answers, bodies, statuses, messages, write, refusals, gaps: () => gaps };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const last = (statuses: LiveStatus[]) => statuses.at(-1)?.kind;

test("what comes is told, whatever its pieces", async () => {
  const { stream, messages, statuses, write } = scripted();
  stream.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(last(statuses)).toBe("live");
  await write("id: 7\r\nevent: job.dead\r\nda");
  await write('ta: {"jobId": 1}\r\n\r\n: still here\r\n\r\n');
  expect(messages).toEqual([{ type: "job.dead", data: { jobId: 1 } }]);
});

test("it goes on after the last event that it had", async () => {
  const { stream, asked, bodies, write } = scripted();
  stream.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked[0]?.headers).not.toHaveProperty("last-event-id");
  await write("id: 41\ndata: {}\n\n");
  bodies[0]?.close();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked[1]?.headers["last-event-id"]).toBe("41");
});

test("broken before its first event, it cannot go on after one, and says so", async () => {
  const { stream, asked, bodies, statuses, write, gaps } = scripted();
  stream.start();
  await vi.advanceTimersByTimeAsync(0);
  bodies[0]?.close();
  expect(gaps()).toBe(0); // nobody has missed anything of a stream that begins
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked[1]?.headers).not.toHaveProperty("last-event-id");
  expect(last(statuses)).toBe("live");
  expect(gaps()).toBe(1);
  await write("id: 41\ndata: {}\n\n");
  bodies[1]?.close();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toHaveLength(3);
  expect(gaps()).toBe(1);
});

test("a server that is gone is tried again, ever more rarely, and said to be gone", async () => {
  const { stream, asked, answers, statuses } = scripted();
  answers.push("gone", "gone", 503, "body");
  stream.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(last(statuses)).toBe("connecting"); // once may be nothing
  await vi.advanceTimersByTimeAsync(500);
  expect(statuses.at(-1)).toEqual({ kind: "lost", since: 1_000 });
  await vi.advanceTimersByTimeAsync(999);
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(last(statuses)).toBe("live");
});

test("nobody signed in: it stops and says so", async () => {
  const { stream, asked, answers, refusals } = scripted();
  answers.push(401);
  stream.start();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(refusals()).toBe(1);
  expect(asked).toHaveLength(1);
});

test("hidden, it lets go; shown again, it goes on", async () => {
  const { stream, asked, statuses, write } = scripted();
  stream.start();
  await vi.advanceTimersByTimeAsync(0);
  await write("id: 5\ndata: {}\n\n");
  stream.pause();
  expect(asked[0]?.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(asked).toHaveLength(1);
  expect(last(statuses)).toBe("paused");
  stream.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked[1]?.headers["last-event-id"]).toBe("5");
});

test("silence for too long is a stream that is dead", async () => {
  const { stream, asked, write } = scripted();
  stream.start();
  await vi.advanceTimersByTimeAsync(SILENCE_MS_MAX - 1);
  await write(": still here\n\n");
  await vi.advanceTimersByTimeAsync(SILENCE_MS_MAX - 1);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toHaveLength(2);
});

test("waits grow to half a minute, and are spread", () => {
  expect(backoff(0, 1)).toBe(500);
  expect(backoff(3, 1)).toBe(4_000);
  expect(backoff(3, 0)).toBe(2_000);
  expect(backoff(50, 1)).toBe(30_000);
});
