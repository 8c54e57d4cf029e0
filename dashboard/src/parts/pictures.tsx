/** Small pictures by hand, and the large one, whose library is loaded when it is first drawn. */

import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import type { SeriesProps } from "./series.tsx";

const Series = lazy(() => import("./series.tsx"));

/** Lines over time. `label` says in words what is drawn: a canvas says nothing to a screen reader. */
export function Chart(props: SeriesProps) {
  return (
    <div className="chart">
      <Suspense>
        <Series {...props} />
      </Suspense>
    </div>
  );
}

/** Numbers as a line of the width there is. */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[];
  readonly label: string;
}) {
  const most = Math.max(1, ...values);
  const step = 100 / Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${at * step} ${30 - (value / most) * 28}`);
  const line = points.length > 0 ? `M${points.join("L")}` : "";
  return (
    <svg className="spark" viewBox="0 0 100 30" preserveAspectRatio="none" role="img">
      <title>{label}</title>
      {line && <path className="spark-area" d={`${line}L100 30L0 30Z`} />}
      <path d={line} />
    </svg>
  );
}

export type HeatTone = "none" | "0" | "1" | "2" | "3" | "4" | "bad" | "wait";

export interface HeatCell {
  readonly tone: HeatTone;
  /** Shown in the cell: short, or nothing. */
  readonly text?: string;
  /** Said in full: "12 of 12 fired on 3 May". */
  readonly label: string;
}

export interface HeatRow {
  readonly name: string;
  readonly title: ReactNode;
  readonly cells: readonly HeatCell[];
}

/** From 0 to 1 as a tone, the more the stronger. */
export function heat(part: number): HeatTone {
  return String(Math.max(0, Math.min(4, Math.round(part * 4)))) as HeatTone;
}

/** A table, so that it can be read out cell by cell. */
export function HeatMap({
  label,
  columns,
  rows,
}: {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly HeatRow[];
}) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    box.current?.scrollTo({ left: box.current.scrollWidth }); // what is newest, where room is short
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <section ref={box} className="heat-box" tabIndex={0} aria-label={label}>
      <table className="heat">
        <thead>
          <tr>
            <td />
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.title}</th>
              {row.cells.map((cell, at) => (
                <td key={columns[at]} className={`heat-${cell.tone}`} title={cell.label}>
                  <span aria-hidden="true">{cell.text}</span>
                  <span className="hidden">{cell.label}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export interface BarPart {
  readonly name: string;
  readonly value: number;
  readonly fill: "accent" | "bad" | "wait" | "busy" | "off";
}

/** Parts of one whole, side by side. */
export function Bar({ parts, whole }: { readonly parts: readonly BarPart[]; whole?: number }) {
  const sum = Math.max(
    1,
    whole ?? 0,
    parts.reduce((total, part) => total + part.value, 0),
  );
  return (
    <div
      className="bar"
      role="img"
      aria-label={parts.map((p) => `${p.value} ${p.name}`).join(", ")}
    >
      {parts
        .filter((part) => part.value > 0)
        .map((part) => (
          <span
            key={part.name}
            className={`fill-${part.fill}`}
            style={{ width: `${Math.max(1, (part.value / sum) * 100)}%` }}
          />
        ))}
    </div>
  );
}
