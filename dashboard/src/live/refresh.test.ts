import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { areaOf, createRefresher, EVERY_MS } from "./refresh.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function watching(areas: string[]) {
  const queries = new QueryClient();
  await queries.prefetchQuery({ queryKey: ["one"], queryFn: () => 1, meta: { areas } });
  const asked = () => queries.getQueryState(["one"])?.isInvalidated;
  return { queries, asked };
}

test("an area is the first word of a type", () => {
  expect(areaOf("job.dead")).toBe("job");
  expect(areaOf("stats")).toBe("stats");
});

test("events ask again for what follows their area, and for nothing else", async () => {
  const jobs = await watching(["job"]);
  const refresher = createRefresher(jobs.queries);
  refresher.touch("run");
  await vi.advanceTimersByTimeAsync(0);
  expect(jobs.asked()).toBe(false);
  refresher.touch("job");
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(jobs.asked()).toBe(true);
});

test("a thousand events are one question now and one later", async () => {
  const invalidateQueries = vi.fn(async () => undefined);
  const refresher = createRefresher({ invalidateQueries });
  for (let event = 0; event < 500; event++) {
    refresher.touch("job");
  }
  await vi.advanceTimersByTimeAsync(0);
  for (let event = 0; event < 500; event++) {
    refresher.touch("job");
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(invalidateQueries).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(invalidateQueries).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS);
  expect(invalidateQueries).toHaveBeenCalledTimes(2);
});
