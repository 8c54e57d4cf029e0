/** One game: both stakes, the pot, its moves, how it ended, and what a person decided. */

import { useQuery } from "@tanstack/react-query";
import { type Answers, reading } from "../../api/client.ts";
import { Copy } from "../../parts/copy.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { money, shortId } from "../ledger/money.ts";
import { Player } from "../ledger/player.tsx";
import { DisputeCard } from "./disputes.tsx";
import { sessionRoute } from "./index.ts";
import { MoneyFlow } from "./money-flow.tsx";
import { StakeState, SubNav, TICKET_COLUMNS } from "./parts.tsx";

type Whole = Answers["GameDetail"];

export function SessionPage() {
  const { sessionId } = sessionRoute.useParams();
  const id = Number(sessionId);
  const isId = Number.isSafeInteger(id) && id > 0;
  const found = useQuery(
    reading(
      "/admin/sessions/{session_id}",
      { params: { path: { session_id: id } } },
      { areas: ["session", "stake"], everySeconds: 15, enabled: isId },
    ),
  );
  return (
    <Page title={`Session ${sessionId}`}>
      <SubNav />
      {isId ? (
        <Loaded query={found}>{(whole) => <Story whole={whole} />}</Loaded>
      ) : (
        <Empty title="A session's id is a number." />
      )}
    </Page>
  );
}

function Story({ whole }: { readonly whole: Whole }) {
  const { session, tickets, made, money: entries } = whole;
  const { dispute } = session;
  return (
    <>
      {dispute && (
        <Panel title={`Dispute ${dispute.id}`}>
          <DisputeCard dispute={dispute} session={session} />
        </Panel>
      )}
      <MoneyFlow entries={entries} players={session.players} />
      <div className="grid">
        <Panel title="Session" className="half">
          <Facts
            facts={[
              ["Status", <StakeState key="status" name={session.status} />],
              ["Result", resultOf(session)],
              ...session.players.map(
                (player, at) =>
                  [
                    `Player ${at + 1}`,
                    <span key={player} className="nowrap">
                      <Player id={player} />
                      <Copy text={player} what="player's id" />
                      {player === session.winnerId && " won"}
                    </span>,
                  ] as const,
              ),
              ["Stake", `${money(session.amount, session.currency)} each`],
              ["Pot", money(2 * session.amount, session.currency)],
              ["Paired", <Time key="created" at={session.createdAt} as="full" />],
              [
                "First move",
                session.startedAt && <Time key="started" at={session.startedAt} as="full" />,
              ],
              [
                "Ended",
                session.settledAt && <Time key="settled" at={session.settledAt} as="full" />,
              ],
              [
                "Void after",
                ["waiting", "playing"].includes(session.status) && (
                  <Time key="expires" at={session.expiresAt} as="full" />
                ),
              ],
            ].map(([name, value]) => [name as string, value || null] as const)}
          />
        </Panel>
        <Panel
          title="Moves"
          className="half"
          aside={made.length < session.moves ? `${made.length} of ${session.moves}` : ""}
        >
          {made.length === 0 ? (
            <Empty title="Nobody has moved." />
          ) : (
            <Table
              label="Moves"
              rows={made}
              rowId={(move) => move.number}
              columns={moveColumns(session.players)}
            />
          )}
        </Panel>
      </div>
      <Panel title="Tickets">
        <Table
          label="Tickets"
          rows={tickets}
          rowId={(ticket) => ticket.id}
          columns={TICKET_COLUMNS}
        />
      </Panel>
    </>
  );
}

function resultOf(session: Answers["SessionShown"]): string | null {
  if (session.result === "win" && session.winnerId) {
    return `won by player ${session.players.indexOf(session.winnerId) + 1}`;
  }
  return session.result;
}

function moveColumns(players: readonly string[]): readonly Column<Answers["MoveShown"]>[] {
  return [
    { title: "Move", align: "end", cell: (move) => move.number },
    {
      title: "By",
      cell: (move) => {
        const at = players.indexOf(move.playerId);
        return at < 0 ? shortId(move.playerId) : `Player ${at + 1}`;
      },
    },
    {
      title: "What",
      className: "cell-text",
      cell: (move) => (
        <>
          <bdi>{move.type}</bdi>{" "}
          {Object.keys(move.payload).length > 0 && (
            <code className="clip" dir="auto">
              {JSON.stringify(move.payload)}
            </code>
          )}
        </>
      ),
    },
    { title: "When", isMinor: true, cell: (move) => <Time at={move.createdAt} as="clock" /> },
  ];
}
