/** The world from the first nine o'clock of a date to the last, and the line that moves through. */

import { useId } from "react";
import { useNow } from "../../time/clock.ts";
import { CITIES, nineIn, nines, spanOf, worldOf, type Zone } from "./zones.ts";
import "./zones.css";

const WIDTH = 900;
const HEIGHT = 190;
const TOP = 26;
const FLOOR = 132;
const BAR = 15;
const HOUR_MS = 3_600_000;

const PARTS = [
  { name: "made", fill: "accent" },
  { name: "empty", fill: "wait" },
  { name: "skipped", fill: "bad" },
  { name: "lacking", fill: "off" },
] as const;

export const LEGEND = [
  { text: "with offers", fill: "accent" },
  { text: "without an offer", fill: "wait" },
  { text: "skipped", fill: "bad" },
  { text: "to come", fill: "off" },
] as const;

export function ZonesPicture({
  day,
  zones,
}: {
  readonly day: string;
  readonly zones: readonly Zone[];
}) {
  const id = useId();
  const { zones: placed, line: now, isSpedUp } = worldOf(day, zones, useNow());
  const [from, to] = spanOf(day, placed);
  const x = (at: number) => ((at - from) / (to - from)) * WIDTH;
  const bars = nines(placed);
  const most = Math.max(1, ...bars.map((bar) => bar.expected));
  const isHere = now >= from && now <= to;
  const passed = bars.filter((bar) => bar.at <= now);
  const sum = (read: (bar: (typeof bars)[number]) => number) =>
    bars.reduce((total, bar) => total + read(bar), 0);
  const hours = Array.from(
    { length: Math.floor((to - from) / (3 * HOUR_MS)) + 1 },
    (_, at) => Math.ceil(from / (3 * HOUR_MS)) * 3 * HOUR_MS + at * 3 * HOUR_MS,
  ).filter((at) => at < to);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <section className="zones-box" tabIndex={0} aria-label="Nine o'clock around the world, drawn">
      <svg
        className="zones"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-desc`}
      >
        <title id={`${id}-title`}>Where it is nine o'clock on {day}</title>
        <desc id={`${id}-desc`}>
          {`It has become nine in ${passed.flatMap((bar) => bar.zones).length} of ${zones.length} zones. Of ${sum((bar) => bar.expected)} sets ${sum((bar) => bar.made)} were made with offers, ${sum((bar) => bar.empty)} without, ${sum((bar) => bar.skipped)} were skipped and ${sum((bar) => bar.lacking)} are to come.`}
        </desc>
        {isHere && (
          <rect className="zones-passed" x={0} y={TOP} width={x(now)} height={FLOOR - TOP} />
        )}
        {hours.map((at) => (
          <g key={at}>
            <line className="zones-hour" x1={x(at)} x2={x(at)} y1={TOP} y2={FLOOR + 4} />
            <text className="zones-time" x={x(at)} y={FLOOR + 17}>
              {new Date(at).toISOString().slice(11, 16)}
            </text>
          </g>
        ))}
        <line className="zones-floor" x1={0} x2={WIDTH} y1={FLOOR} y2={FLOOR} />
        {bars.map((bar) => {
          let top = FLOOR;
          return (
            <g key={bar.at} className={bar.at <= now ? "" : "zones-later"}>
              <title>{`${bar.zones.join(", ")}: ${bar.made + bar.empty} of ${bar.expected} sets made, ${bar.skipped} skipped`}</title>
              {PARTS.map(({ name, fill }) => {
                const height = (bar[name] / most) * (FLOOR - TOP - 8);
                if (height <= 0) {
                  return null;
                }
                top -= Math.max(2, height);
                return (
                  <rect
                    key={name}
                    className={`fill-${fill}`}
                    x={x(bar.at) - BAR / 2}
                    y={top}
                    width={BAR}
                    height={Math.max(2, height)}
                    rx={1.5}
                  />
                );
              })}
            </g>
          );
        })}
        {CITIES.map(([name, zone], at) => (
          <text
            key={zone}
            className="zones-city"
            x={Math.max(26, Math.min(WIDTH - 30, x(nineIn(zone, day))))}
            y={FLOOR + (at % 2 === 0 ? 34 : 48)}
          >
            {name}
          </text>
        ))}
        {isHere && (
          <g>
            <line className="zones-now" x1={x(now)} x2={x(now)} y1={TOP - 6} y2={FLOOR + 4} />
            <text className="zones-nine" x={Math.max(64, Math.min(WIDTH - 64, x(now)))} y={14}>
              {isSpedUp ? "nine is here, sped up" : "it is nine here"}
            </text>
          </g>
        )}
      </svg>
    </section>
  );
}

export function ZonesLegend() {
  return (
    <p className="legend">
      {LEGEND.map(({ text, fill }) => (
        <span key={text}>
          <span className={`legend-mark fill-${fill}`} aria-hidden="true" />
          {text}
        </span>
      ))}
      <span className="faint">
        Hours are UTC; a bar stands where it becomes nine for its zones.
      </span>
    </p>
  );
}
