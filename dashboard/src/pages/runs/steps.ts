/** Where each step of a run stands on one line of time: parts of the whole, in per cent. */

import type { Answers } from "../../api/client.ts";

export const STEPS = ["resolve", "extract", "parse", "match", "rank", "finalize"] as const;

type RunStep = Answers["RunStep"];

export interface PlacedStep {
  readonly step: RunStep["step"];
  readonly milliseconds: number | null;
  readonly left: number;
  readonly width: number;
}

const WIDTH_MIN = 0.6; // per cent: something short is still to be seen

/** Those of the newest attempt; a step that has not ended reaches to `now`. */
export function placed(steps: readonly RunStep[], now: number): readonly PlacedStep[] {
  const newest = Math.max(0, ...steps.map((one) => one.token));
  const shown = steps.filter((one) => one.token === newest);
  const begins = Math.min(...shown.map((one) => Date.parse(one.beganAt)));
  const ends = Math.max(...shown.map((one) => (one.endedAt ? Date.parse(one.endedAt) : now)));
  const whole = Math.max(1, ends - begins);
  return shown.map((one) => {
    const from = Date.parse(one.beganAt);
    const until = one.endedAt ? Date.parse(one.endedAt) : now;
    const left = Math.min(100 - WIDTH_MIN, ((from - begins) / whole) * 100);
    const width = Math.min(100 - left, Math.max(WIDTH_MIN, ((until - from) / whole) * 100));
    return { step: one.step, milliseconds: one.milliseconds, left, width };
  });
}
