/** Lines over time by uPlot. It draws on a canvas, so its colours are read from ours. */

import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTheme } from "../shell/theme.ts";

export interface SeriesLine {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly color: "accent" | "bad" | "wait" | "busy" | "off";
  readonly isFilled?: boolean;
}

export interface SeriesProps {
  readonly label: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly SeriesLine[];
  readonly height?: number;
  readonly unit?: string;
}

export default function Series({ label, times, lines, height = 180, unit = "" }: SeriesProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const theme = useTheme();
  const shape = lines.map((line) => `${line.name} ${line.color}`).join("\n");
  const data = [times, ...lines.map((line) => line.values)] as unknown as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for the lines' looks
  useEffect(() => {
    const node = box.current;
    if (!node) {
      return;
    }
    const paint = colors(node);
    const axis = { stroke: paint("faint"), grid: { stroke: paint("line"), width: 1 } };
    const made = new uPlot(
      {
        width: node.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, points: { size: 6 } },
        axes: [
          {
            ...axis,
            ticks: { show: false },
            space: 70,
            size: 28,
            values: (_, at) => at.map(clock),
          },
          {
            ...axis,
            ticks: { show: false },
            size: 46,
            values: (_, at) => at.map((value) => `${value.toLocaleString("en")}${unit}`),
          },
        ],
        scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
        series: [
          {},
          ...lines.map((line) => ({
            label: line.name,
            stroke: paint(line.color),
            width: 1.5,
            ...(line.isFilled
              ? { fill: `color-mix(in srgb, ${paint(line.color)} 14%, transparent)` }
              : {}),
            points: { show: false },
          })),
        ],
      },
      latest.current,
      node,
    );
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: node.clientWidth, height }));
    watch.observe(node);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [theme, shape, height, unit]);

  useEffect(() => {
    plot.current?.setData(latest.current);
  });

  return (
    <>
      <div ref={box} role="img" aria-label={label} />
      <p className="legend">
        {lines.map((line) => (
          <span key={line.name}>
            <span className={`legend-mark fill-${line.color}`} aria-hidden="true" />
            {line.name}
          </span>
        ))}
      </p>
    </>
  );
}

function clock(seconds: number): string {
  return new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }).format(
    seconds * 1000,
  );
}

const NAMES: Record<string, string> = { off: "line-strong", wait: "mark-wait" };

/** `light-dark()` is resolved where a colour is used, so it is used for a moment. */
function colors(node: HTMLElement): (name: string) => string {
  return (name) => {
    const before = node.style.color;
    node.style.color = `var(--${NAMES[name] ?? name})`;
    const found = getComputedStyle(node).color;
    node.style.color = before;
    return found;
  };
}
