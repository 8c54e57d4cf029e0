/** What the pages of stakes share. */

import { Link } from "@tanstack/react-router";
import type { Answers } from "../../api/client.ts";
import { State } from "../../parts/badge.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useCaller } from "../../session/dashboard.ts";
import { money } from "../ledger/money.ts";
import { Player } from "../ledger/player.tsx";
import "./stakes.css";

const TONES = {
  queued: "wait",
  matched: "good",
  expired: "off",
  cancelled: "off",
  waiting: "wait",
  playing: "busy",
  settled: "good",
  disputed: "bad",
  void: "off",
  open: "bad",
  resolved: "good",
  held: "busy",
  released: "off",
  paired: "good",
  passed: "wait",
  failed: "bad",
} as const;

export function StakeState({ name }: { readonly name: keyof typeof TONES }) {
  return <State name={name} tone={TONES[name]} />;
}

/** Between the pages of stakes. Viewers see how many wait, and never who. */
export function SubNav() {
  if (useCaller().role !== "operator") {
    return null;
  }
  return (
    <nav className="subnav" aria-label="Stakes">
      <Link to="/stakes" activeOptions={{ exact: true }}>
        Queues
      </Link>
      <Link to="/stakes/tickets">Tickets</Link>
      <Link to="/stakes/sessions">Sessions</Link>
      <Link to="/stakes/disputes">Disputes</Link>
    </nav>
  );
}

export function TicketLink({ id }: { readonly id: number }) {
  return (
    <Link to="/stakes/tickets/$ticketId" params={{ ticketId: String(id) }}>
      {id}
    </Link>
  );
}

export function SessionLink({ id }: { readonly id: number | null }) {
  if (id === null) {
    return <span className="faint">–</span>;
  }
  return (
    <Link to="/stakes/sessions/$sessionId" params={{ sessionId: String(id) }}>
      {id}
    </Link>
  );
}

export const TICKET_COLUMNS: readonly Column<Answers["TicketHeld"]>[] = [
  { title: "Ticket", cell: (ticket) => <TicketLink id={ticket.id} /> },
  { title: "Status", cell: (ticket) => <StakeState name={ticket.status} /> },
  { title: "Player", isMinor: true, cell: (ticket) => <Player id={ticket.playerId} /> },
  {
    title: "Stake",
    align: "end",
    className: "nowrap",
    cell: (ticket) => money(ticket.amount, ticket.currency),
  },
  { title: "Staked", cell: (ticket) => <Time at={ticket.createdAt} /> },
  {
    title: "Expires",
    isMinor: true,
    cell: (ticket) =>
      ticket.status === "queued" ? (
        <Time at={ticket.expiresAt} />
      ) : (
        <span className="faint">–</span>
      ),
  },
  { title: "Session", align: "end", cell: (ticket) => <SessionLink id={ticket.sessionId} /> },
];

export const SESSION_COLUMNS: readonly Column<Answers["SessionShown"]>[] = [
  { title: "Session", cell: (session) => <SessionLink id={session.id} /> },
  {
    title: "Status",
    cell: (session) => (
      <span className="row">
        <StakeState name={session.status} />
        {session.result && <span className="soft">{session.result}</span>}
      </span>
    ),
  },
  {
    title: "Players",
    cell: (session) => (
      <span className="row">
        {session.players.map((player) => (
          <span key={player} className="nowrap">
            <Player id={player} />
            {player === session.winnerId && <span className="soft"> won</span>}
          </span>
        ))}
      </span>
    ),
  },
  {
    title: "Pot",
    align: "end",
    className: "nowrap",
    cell: (session) => money(2 * session.amount, session.currency),
  },
  { title: "Moves", align: "end", isMinor: true, cell: (session) => session.moves },
  { title: "Paired", cell: (session) => <Time at={session.createdAt} /> },
  {
    title: "Ended",
    isMinor: true,
    cell: (session) => <Time at={session.settledAt} />,
  },
];
