/** Where a stake's money went: drawn, and as a table beside it, entry by entry. */

import { useId } from "react";
import { Tag } from "../../parts/badge.tsx";
import { Panel } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useNow } from "../../time/clock.ts";
import { clockTime } from "../../time/format.ts";
import { amountOf, money, shortId, signed } from "../ledger/money.ts";
import { Player } from "../ledger/player.tsx";
import { type Entry, type Flow, type FlowColumn, type FlowStep, flowOf } from "./flow.ts";
import "./flow.css";

const LEFT = 118; // for what happened and when
const COLUMN = 118;
const HEAD = 50;
const ARROW = 30;
const GAP = 26;
const POT = 34; // the widest that what is held is drawn

interface Names {
  /** By the player's id: "Player 1". */
  readonly of: (owner: string) => string;
}

export function MoneyFlow({
  entries,
  players,
}: {
  readonly entries: readonly Entry[];
  readonly players: readonly string[];
}) {
  const flow = flowOf(entries);
  const names: Names = {
    of: (owner) => {
      const at = players.indexOf(owner);
      return at < 0 ? shortId(owner) : `Player ${at + 1}`;
    },
  };
  const currency = entries[0]?.currency ?? "";
  return (
    <Panel title="Where the money went" aside={`${entries.length} entries, ${currency}`}>
      {entries.length === 0 ? (
        <Empty title="No money has moved." />
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls */}
          <section className="flow-box" tabIndex={0} aria-label="The money, drawn">
            <Picture flow={flow} names={names} currency={currency} />
          </section>
          <Table
            label="Entries"
            rows={entries}
            rowId={(entry) => `${entry.transferId} ${entry.line}`}
            columns={columns(names)}
          />
        </>
      )}
    </Panel>
  );
}

function Picture({
  flow,
  names,
  currency,
}: {
  readonly flow: Flow;
  readonly names: Names;
  readonly currency: string;
}) {
  const id = useId();
  const now = useNow();
  const width = LEFT + flow.columns.length * COLUMN;
  const heights = flow.steps.map((step) => step.arrows.length * ARROW + GAP);
  const tops = heights.map((_, at) => HEAD + heights.slice(0, at).reduce((a, b) => a + b, 0));
  const height = HEAD + heights.reduce((a, b) => a + b, 0) + 16;
  const x = (column: number) => LEFT + column * COLUMN + COLUMN / 2;
  const most = Math.max(1, ...flow.steps.map((step) => step.held));
  return (
    <svg
      className="flow"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-desc`}
    >
      <title id={`${id}-title`}>The money of this stake, from account to account</title>
      <desc id={`${id}-desc`}>
        {flow.steps.map((step) => inWords(step, flow, names)).join(" ")}
      </desc>
      <defs>
        <marker
          id={`${id}-tip`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path className="flow-tip" d="M0 0.5 8 4 0 7.5Z" />
        </marker>
      </defs>
      {flow.columns.map((column, at) => (
        <g key={`${column.account} ${column.owner}`}>
          <line className="flow-lane" x1={x(at)} x2={x(at)} y1={HEAD - 8} y2={height - 8} />
          <text className="flow-head" x={x(at)} y={18}>
            {column.account}
          </text>
          <text className="flow-owner" x={x(at)} y={34}>
            {column.owner === null ? "platform" : names.of(column.owner)}
          </text>
        </g>
      ))}
      {flow.steps.map((step, at) => {
        const top = tops[at] ?? HEAD;
        const end = top + (heights[at] ?? 0);
        const until = at === flow.steps.length - 1 ? height - 8 : end + ARROW / 2;
        const thick = Math.max(3, (step.held / most) * POT);
        const lowest = top + GAP / 2 + step.arrows.length * ARROW - ARROW / 2;
        return (
          <g key={step.transferId}>
            {at > 0 && <line className="flow-rule" x1={0} x2={width} y1={top} y2={top} />}
            {step.held > 0 && (
              <rect
                className="flow-held"
                x={x(flow.escrow) - thick / 2}
                y={lowest}
                width={thick}
                height={Math.max(4, until - lowest)}
                rx={3}
              />
            )}
            <text className="flow-kind" x={0} y={top + GAP / 2 + 12}>
              {step.kind}
            </text>
            <text className="flow-when" x={0} y={top + GAP / 2 + 27}>
              {clockTime(Date.parse(step.at), now).replace(/ \d{4},/, "")}
            </text>
            {step.arrows.map((arrow, row) => {
              const y = top + GAP / 2 + row * ARROW + ARROW / 2;
              const [from, to] = [x(arrow.from), x(arrow.to)];
              const away = Math.sign(to - from);
              const middle = (from + to) / 2;
              return (
                <g key={`${arrow.from} ${arrow.to} ${arrow.kind}`}>
                  <circle className="flow-dot" cx={from} cy={y} r={3} />
                  <line
                    className={`flow-arrow ${arrow.kind === "COMMISSION" ? "flow-fee" : ""}`}
                    x1={from + away * 3}
                    x2={to - away * 3}
                    y1={y}
                    y2={y}
                    markerEnd={`url(#${id}-tip)`}
                  />
                  <text className="flow-amount" x={labelAt(middle, flow, x)} y={y - 5}>
                    {amountOf(arrow.amount, currency)}
                    {arrow.kind === "COMMISSION" && " fee"}
                  </text>
                </g>
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}

/** Beside a lane, not on it: half a column away where the middle of an arrow is one. */
function labelAt(middle: number, flow: Flow, x: (column: number) => number): number {
  const isLane = flow.columns.some((_, at) => Math.abs(x(at) - middle) < 4);
  return isLane ? middle - COLUMN / 2 : middle;
}

function nameOf(column: FlowColumn | undefined, names: Names): string {
  if (!column) {
    return "";
  }
  return column.owner === null ? column.account : `${names.of(column.owner)}'s ${column.account}`;
}

/** For those who do not see it: each movement in a sentence. */
export function inWords(step: FlowStep, flow: Flow, names: Names): string {
  const moved = step.arrows.map(
    (arrow) =>
      `${money(arrow.amount, step.currency)} from ${nameOf(flow.columns[arrow.from], names)} to ${nameOf(flow.columns[arrow.to], names)}`,
  );
  return `${step.kind}: ${moved.join(", ")}; ${money(step.held, step.currency)} held.`;
}

function columns(names: Names): readonly Column<Entry>[] {
  return [
    { title: "When", isMinor: true, cell: (entry) => <Time at={entry.at} as="clock" /> },
    {
      title: "Transfer",
      cell: (entry) => (
        <>
          {entry.kind} {entry.entryKind !== entry.kind && <Tag>{entry.entryKind}</Tag>}
        </>
      ),
    },
    {
      title: "Account",
      cell: (entry) =>
        entry.owner === null ? (
          entry.account
        ) : (
          <>
            {names.of(entry.owner)}, {entry.account} <Player id={entry.owner} />
          </>
        ),
    },
    {
      title: "Reference",
      isMinor: true,
      cell: (entry) => (
        <bdi className="mono">
          {entry.reference} <span className="faint">transfer {entry.transferId}</span>
        </bdi>
      ),
    },
    {
      title: "Amount",
      align: "end",
      className: "nowrap",
      cell: (entry) => (
        <span className={entry.amount > 0 ? "money-in" : ""}>
          {signed(entry.amount, entry.currency)} {entry.currency}
        </span>
      ),
    },
    {
      title: "Balance after",
      align: "end",
      isMinor: true,
      className: "nowrap",
      cell: (entry) =>
        entry.balance === null ? (
          <span className="faint">–</span>
        ) : (
          amountOf(entry.balance, entry.currency)
        ),
    },
  ];
}
