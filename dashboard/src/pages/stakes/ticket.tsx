/** One stake: why it waits, how it was paired, and where its money went. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { Copy } from "../../parts/copy.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { money } from "../ledger/money.ts";
import { Player } from "../ledger/player.tsx";
import { ticketRoute } from "./index.ts";
import { whyOf } from "./lines.ts";
import { MoneyFlow } from "./money-flow.tsx";
import { SessionLink, StakeState, SubNav } from "./parts.tsx";

type Whole = Answers["StakeDetail"];

export function TicketPage() {
  const { ticketId } = ticketRoute.useParams();
  const id = Number(ticketId);
  const isId = Number.isSafeInteger(id) && id > 0;
  const found = useQuery(
    reading(
      "/admin/stakes/{ticket_id}",
      { params: { path: { ticket_id: id } } },
      { areas: ["stake", "session"], everySeconds: 15, enabled: isId },
    ),
  );
  return (
    <Page title={`Ticket ${ticketId}`}>
      <SubNav />
      {isId ? (
        <Loaded query={found}>{(whole) => <Story whole={whole} />}</Loaded>
      ) : (
        <Empty title="A ticket's id is a number." />
      )}
    </Page>
  );
}

function Story({ whole }: { readonly whole: Whole }) {
  const { ticket, hold, claims, money: entries } = whole;
  return (
    <>
      {ticket.status === "queued" && <WhyWaiting ticket={ticket} />}
      {ticket.sessionId !== null && (
        <p>
          It was paired:{" "}
          <Link to="/stakes/sessions/$sessionId" params={{ sessionId: String(ticket.sessionId) }}>
            session {ticket.sessionId}
          </Link>{" "}
          has both stakes and the pot.
        </p>
      )}
      <MoneyFlow entries={entries} players={[ticket.playerId]} />
      <div className="grid">
        <Panel title="Ticket" className="half">
          <Facts
            facts={[
              ["Status", <StakeState key="status" name={ticket.status} />],
              [
                "Player",
                <span key="player" className="nowrap">
                  <Player id={ticket.playerId} />
                  <Copy text={ticket.playerId} what="player's id" />
                </span>,
              ],
              ["Stake", money(ticket.amount, ticket.currency)],
              ["Fee", money(ticket.fee, ticket.currency)],
              ["Staked", <Time key="created" at={ticket.createdAt} as="full" />],
              [
                "In line since",
                ticket.changes > 0 && <Time key="queued" at={ticket.queuedAt} as="full" />,
              ],
              ["Changed", ticket.changes > 0 && `${ticket.changes} times`],
              ["Expires", <Time key="expires" at={ticket.expiresAt} as="full" />],
              ["Paired", ticket.matchedAt && <Time key="m" at={ticket.matchedAt} as="full" />],
              ["Ended", ticket.endedAt && <Time key="e" at={ticket.endedAt} as="full" />],
            ].map(([name, value]) => [name as string, value || null] as const)}
          />
        </Panel>
        <Panel title={`Hold ${hold.id}`} className="half" aside="Its part of escrow">
          <Facts
            facts={[
              ["State", <StakeState key="state" name={hold.state} />],
              ["Amount", money(hold.amount, hold.currency)],
              ["From credit", money(hold.fromCredit, hold.currency)],
              ["From wallet", money(hold.fromWallet, hold.currency)],
              ["Taken", hold.taken === null ? null : money(hold.taken, hold.currency)],
              ["Resolved", hold.resolvedAt && <Time key="r" at={hold.resolvedAt} as="full" />],
              ["A gap after", <Time key="deadline" at={hold.deadline} as="full" />],
            ]}
          />
        </Panel>
      </div>
      <Panel title="The log of pairing" aside="Kept for 30 days">
        {claims.length === 0 ? (
          <Empty title="The log has nothing of it.">
            It was never paired, and no pairing passed it by.
          </Empty>
        ) : (
          <Table
            label="The log of pairing"
            rows={claims}
            rowId={(claim) => `${claim.at} ${claim.outcome} ${claim.tickets.join(" ")}`}
            columns={CLAIMS}
          />
        )}
      </Panel>
    </>
  );
}

/** What is said of its line: where it stands is known to its player alone. */
function WhyWaiting({ ticket }: { readonly ticket: Whole["ticket"] }) {
  const queues = useQuery(
    reading("/admin/stakes/queues", {}, { areas: ["stake"], everySeconds: 10 }),
  );
  const line = queues.data?.lines.find(
    (one) => one.amount === ticket.amount && one.currency === ticket.currency,
  );
  return (
    <section className="waits" aria-label="Why nobody was found yet">
      <h2>Why nobody was found yet</h2>
      <p>{line ? whyOf(line, queues.data?.lines ?? []) : "It is about to be looked at."}</p>
      <p className="soft">
        It becomes credit <Time at={ticket.expiresAt} />, and the fee stays.
      </p>
    </section>
  );
}

const CLAIMS: readonly Column<Answers["LoggedClaim"]>[] = [
  { title: "When", cell: (claim) => <Time at={claim.at} as="clock" /> },
  { title: "Outcome", cell: (claim) => <StakeState name={claim.outcome} /> },
  {
    title: "Why",
    className: "cell-text",
    cell: (claim) => claim.reason ?? <span className="faint">–</span>,
  },
  { title: "Session", align: "end", cell: (claim) => <SessionLink id={claim.sessionId} /> },
  {
    title: "By",
    isMinor: true,
    cell: (claim) => <bdi className="mono">{claim.worker}</bdi>,
  },
];
