import { expect, test } from "vitest";
import { columnOf, columnTitles, mapRow } from "./gap-map.tsx";
import { outcome } from "./job-actions.ts";
import { everyMinute } from "./overview.tsx";
import { lastDays, missingIn, tickCell, worstFirst } from "./schedules.tsx";

const NOW = Date.parse("2026-05-03T12:34:00Z");

test("hours around now have a column each, the rest the ends", () => {
  expect(columnOf(Date.parse("2026-05-03T12:00:00Z"), NOW)).toBe(13);
  expect(columnOf(Date.parse("2026-05-03T00:00:00Z"), NOW)).toBe(1);
  expect(columnOf(Date.parse("2026-05-02T23:00:00Z"), NOW)).toBe(0);
  expect(columnOf(Date.parse("2026-05-03T23:59:00Z"), NOW)).toBe(24);
  expect(columnOf(Date.parse("2030-01-01T00:00:00Z"), NOW)).toBe(25);
  const titles = columnTitles(NOW, "UTC");
  expect(titles).toHaveLength(26);
  expect(titles[13]).toBe("12");
});

test("what lacks is seen, wherever it was due", () => {
  const cell = (at: string, expected: number, missing: number) => ({
    at,
    expected,
    there: expected - missing,
    missing,
    dead: 0,
  });
  const row = mapRow(
    [
      cell("2020-01-01T00:00:00Z", 5, 2),
      cell("2020-01-02T00:00:00Z", 5, 1),
      cell("2026-05-03T12:00:00Z", 4, 0),
    ],
    NOW,
  );
  expect(row[0]).toMatchObject({
    tone: "bad",
    text: "−3",
    label: "7 of 10 there, 3 missing, 0 dead",
  });
  expect(row[13]?.label).toBe("4 of 4 there, 0 missing, 0 dead");
  expect(row[13]?.tone).not.toBe("bad");
  expect(row[12]?.tone).toBe("none");
});

test("days of UTC, whatever the viewer's zone", () => {
  expect(lastDays(new Date("2026-03-01T23:30:00Z"), 3)).toEqual([
    "2026-02-27",
    "2026-02-28",
    "2026-03-01",
  ]);
});

test("a tick that is due and has not fired stands out", () => {
  const day = { schedule: "a", day: "2026-05-03", expected: 4, fired: 3, caughtUp: 1, skipped: 0 };
  expect(tickCell("2026-05-03", { ...day, late: 1 }).tone).toBe("bad");
  expect(tickCell("2026-05-03", { ...day, skipped: 1, late: 0 }).tone).toBe("wait");
  expect(tickCell("2026-05-03", { ...day, fired: 4, late: 0 }).tone).toBe("4");
  expect(tickCell("2026-05-03", undefined).tone).toBe("none");
});

test("minutes in which nothing was done are zeros", () => {
  const point = {
    at: "2026-05-03T12:33:00Z",
    succeeded: 3,
    failed: 1,
    lost: 1,
    died: 0,
    meanSeconds: 1,
    p50Seconds: 1,
    p95Seconds: 1,
  };
  const { times, succeeded, failed } = everyMinute([point], NOW - 2 * 60_000, 3);
  expect(times).toHaveLength(3);
  expect(succeeded).toEqual([0, 3, 0]);
  expect(failed).toEqual([0, 2, 0]);
});

test("what somebody else was faster with is said", () => {
  expect(outcome(2, 2, "requeued")).toBe("2 requeued.");
  expect(outcome(1, 3, "requeued")).toBe("1 requeued; 2 were not dead letters any more.");
});

test("what no program can repair is not counted as repairable", () => {
  const report = {
    name: "a",
    kind: "b",
    since: "",
    until: "",
    expected: 9,
    missing: 1,
    resultMissing: 2,
    stale: 3,
    deadTransient: 1,
    dead: 2,
    gaps: [],
    error: null,
  };
  expect(missingIn(report)).toBe(7);
  const worse = { ...report, name: "worse", missing: 100 };
  const failed = { ...report, name: "failed", missing: 0, error: "no column payload" };
  const order = [report, worse, failed].sort(worstFirst).map((one) => one.name);
  expect(order).toEqual(["failed", "worse", report.name]);
});
