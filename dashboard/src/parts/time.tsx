/** Instants: how long ago, and on looking closer when, here and in UTC. */

import { useNow } from "../time/clock.ts";
import { both, clockTime, relative } from "../time/format.ts";

interface TimeProps {
  readonly at: string | null | undefined;
  /** `ago`: "3 min ago". `full`: the clock's time, with UTC beside it. */
  readonly as?: "ago" | "full" | "clock";
}

export function Time({ at, as = "ago" }: TimeProps) {
  const now = useNow();
  if (!at) {
    return <span className="faint">–</span>;
  }
  const instant = Date.parse(at);
  if (as === "full") {
    return (
      <time dateTime={at} className="time-full">
        {both(instant, now)} <span className="faint">{relative(instant, now)}</span>
      </time>
    );
  }
  return (
    <time dateTime={at} title={both(instant, now)} className="nowrap">
      {as === "ago" ? relative(instant, now) : clockTime(instant, now)}
    </time>
  );
}
