/** Attempts to deliver, newest first. */

import { Link } from "@tanstack/react-router";
import type { Answers } from "../../api/client.ts";
import { ActButton, useAct } from "../../parts/actions.tsx";
import { State, type Tone } from "../../parts/badge.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { span } from "../../time/format.ts";
import { replayingOne } from "./endpoint-actions.tsx";
import { whichAttempt } from "./schedule.ts";

type Delivery = Answers["DeliveryAttemptView"];

const TONES: Record<Answers["DeliveryOutcome"], Tone> = {
  delivered: "good",
  failed: "bad",
  refused: "bad",
  gone: "bad",
  skipped: "off",
};

const COLUMNS: readonly Column<Delivery>[] = [
  {
    title: "Event",
    cell: (one) => (
      <Link to="/jobs/$jobId" params={{ jobId: String(one.jobId) }} className="mono">
        {one.eventType}
      </Link>
    ),
  },
  {
    title: "Outcome",
    cell: (one) => (
      <span className="row">
        <State name={one.outcome} tone={TONES[one.outcome]} />
        {one.status !== null && <span className="mono">{one.status}</span>}
      </span>
    ),
  },
  { title: "Attempt", isMinor: true, cell: (one) => whichAttempt(one.attempt) },
  { title: "When", cell: (one) => <Time at={one.at} /> },
  { title: "Took", isMinor: true, align: "end", cell: (one) => span(one.seconds) },
  {
    title: "Answer",
    isMinor: true,
    className: "cell-text",
    cell: (one) => (
      <span className="clip" dir="auto">
        {one.error ?? one.excerpt}
      </span>
    ),
  },
];

interface DeliveriesProps<T extends Delivery> {
  readonly rows: readonly T[];
  readonly endpointOf: (one: T) => string;
}

/** Each with a button that sends it once more. */
export function Deliveries<T extends Delivery>({ rows, endpointOf }: DeliveriesProps<T>) {
  const act = useAct();
  const columns: readonly Column<T>[] = [
    ...COLUMNS,
    {
      title: "Actions",
      isTitleHidden: true,
      align: "end",
      cell: (one) => (
        <ActButton
          className="button-small"
          onClick={() => act(replayingOne(endpointOf(one), one.eventId))}
        >
          Replay
        </ActButton>
      ),
    },
  ];
  return <Table label="Deliveries" rows={rows} rowId={(one) => one.id} columns={columns} />;
}
