/**
 * A list by keyboard as well as by hand: `j` and `k` go from row to row, Enter opens the one that
 * has the focus (its first cell is a link), `x` selects it.
 */

import { type ReactNode, useRef } from "react";
import { useKeys } from "../keys/keys.ts";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  readonly align?: "end";
  /** Said, and not shown: for a column of buttons. */
  readonly isTitleHidden?: boolean;
  /** Left out where there is little room. */
  readonly isMinor?: boolean;
  readonly className?: string;
}

export interface Selection<Id> {
  readonly chosen: ReadonlySet<Id>;
  readonly change: (chosen: ReadonlySet<Id>) => void;
}

interface RowKey<T> {
  readonly key: string;
  readonly does: string;
  readonly run: (row: T) => void;
}

interface TableProps<T, Id extends string | number> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly rowId: (row: T) => Id;
  /** What a checkbox is for, when it is read out. */
  readonly rowName?: (row: T) => string;
  /** The first one holds the row's link: a `Link` or a button. */
  readonly columns: readonly Column<T>[];
  readonly selection?: Selection<Id> | undefined;
  /** Where there is little room, the cells of a row stand below each other. */
  readonly isStacked?: boolean;
  /** Keys for the row that has the focus, such as `r` to retry it. */
  readonly keys?: readonly RowKey<T>[];
}

export function Table<T, Id extends string | number>({
  label,
  rows,
  rowId,
  rowName = (row) => String(rowId(row)),
  columns,
  selection,
  isStacked,
  keys = [],
}: TableProps<T, Id>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const elements = () => [...(body.current?.rows ?? [])];
  const at = () => elements().findIndex((row) => row.contains(document.activeElement));
  const go = (to: number) => {
    const row = elements()[Math.max(0, Math.min(to, rows.length - 1))];
    const target = row?.querySelector<HTMLElement>("a[href], button:not(.copy)");
    target?.focus();
    row?.scrollIntoView({ block: "nearest" });
  };
  const toggle = (id: Id) => {
    if (selection) {
      const chosen = new Set(selection.chosen);
      if (!chosen.delete(id)) {
        chosen.add(id);
      }
      selection.change(chosen);
    }
  };
  const focused = (): T | undefined => rows[at()];
  useKeys([
    { key: "j", does: "Next row", run: () => go(at() + 1) },
    { key: "k", does: "Row before", run: () => go(at() < 0 ? 0 : at() - 1) },
    ...(selection
      ? [
          {
            key: "x",
            does: "Select the row",
            run: () => {
              const row = focused();
              if (row !== undefined) {
                toggle(rowId(row));
              }
            },
          },
        ]
      : []),
    ...keys.map(({ key, does, run }) => ({
      key,
      does,
      run: () => {
        const row = focused();
        if (row !== undefined) {
          run(row);
        }
      },
    })),
  ]);
  const all = rows.length > 0 && rows.every((row) => selection?.chosen.has(rowId(row)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <section className="table-box" tabIndex={0} aria-label={label}>
      <table className={isStacked ? "table table-stacked" : "table"}>
        <thead>
          <tr>
            {selection && (
              <th className="table-check">
                <input
                  type="checkbox"
                  aria-label="Select all rows that are shown"
                  checked={all}
                  onChange={() =>
                    selection.change(all ? new Set() : new Set(rows.map((row) => rowId(row))))
                  }
                />
              </th>
            )}
            {columns.map(({ title, align, isMinor, isTitleHidden }) => (
              <th key={title} scope="col" className={classes(align, isMinor)}>
                <span className={isTitleHidden ? "hidden" : undefined}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => {
            const id = rowId(row);
            return (
              <tr key={id} data-selected={selection?.chosen.has(id) || undefined}>
                {selection && (
                  <td className="table-check">
                    <input
                      type="checkbox"
                      aria-label={`Select ${rowName(row)}`}
                      checked={selection.chosen.has(id)}
                      onChange={() => toggle(id)}
                    />
                  </td>
                )}
                {columns.map(({ title, cell, align, isMinor, className }) => (
                  <td key={title} className={`${classes(align, isMinor)} ${className ?? ""}`}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function classes(align?: "end", isMinor?: boolean): string {
  return `${align === "end" ? "align-end" : ""} ${isMinor ? "is-minor" : ""}`.trim();
}
