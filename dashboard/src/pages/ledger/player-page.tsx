/** One player's money: both accounts, what is held, and every entry with the balance after it. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, keeping, reading } from "../../api/client.ts";
import { Tag } from "../../parts/badge.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Pager, useFilters } from "../../parts/filter-bar.tsx";
import { Figure, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useDashboard } from "../../session/dashboard.ts";
import { playerRoute } from "./index.ts";
import { amountOf, money, signed } from "./money.ts";
import "./ledger.css";

type Line = Answers["StatementLine"];
type Account = "wallet" | "credit";

export function PlayerPage() {
  const { playerId } = playerRoute.useParams();
  const { filters, set, go } = useFilters(playerRoute);
  const { account = "wallet", after } = filters;
  const { capabilities } = useDashboard();
  const found = useQuery(
    keeping(
      reading(
        "/admin/players/{player_id}/ledger",
        {
          params: {
            path: { player_id: playerId },
            query: { account, limit: 50, ...(after && { after }) },
          },
        },
        { areas: ["stake", "session", "ledger"], everySeconds: 30 },
      ),
    ),
  );
  return (
    <Page
      title={playerId}
      about={
        <span className="row">
          <span className="soft">A player's money</span>
          <Copy text={playerId} what="player's id" />
          {capabilities.includes("stakes") && (
            <Link to="/stakes/tickets" search={{ player: playerId }}>
              Tickets of this player
            </Link>
          )}
        </span>
      }
    >
      <Loaded query={found}>
        {(page) => (
          <>
            <dl className="figures">
              <Figure label="Wallet" value={money(page.wallet, page.currency)} />
              <Figure label="Credit" value={money(page.credit, page.currency)} />
              <Figure
                label="Held"
                value={money(page.held, page.currency)}
                note="staked, or in a pot that is not paid out"
              />
            </dl>
            <Panel
              title={`Entries of the ${account}`}
              aside={
                <AccountChoice account={account} onChange={(next) => set({ account: next })} />
              }
            >
              {page.lines.length === 0 ? (
                <Empty title={`There is no entry in the ${account}.`}>
                  {account === "wallet" && page.credit === 0 && page.held === 0
                    ? "Either nothing was ever paid in, or that is no player's id."
                    : "Look at the other account."}
                </Empty>
              ) : (
                <Table
                  label={`Entries of the ${account}`}
                  rows={page.lines}
                  rowId={(line) => `${line.transferId} ${line.line}`}
                  columns={columns(page.currency, capabilities.includes("stakes"))}
                />
              )}
              <Pager
                next={page.next}
                isFirst={after === undefined}
                shown={page.lines.length}
                onGo={go}
              />
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function AccountChoice({
  account,
  onChange,
}: {
  readonly account: Account;
  readonly onChange: (account: Account) => void;
}) {
  return (
    <fieldset className="choice">
      <legend className="hidden">Which account</legend>
      {(["wallet", "credit"] as const).map((one) => (
        <button
          key={one}
          type="button"
          className="button button-small"
          aria-pressed={one === account}
          onClick={() => onChange(one)}
        >
          {one}
        </button>
      ))}
    </fieldset>
  );
}

function columns(currency: string, hasStakes: boolean): readonly Column<Line>[] {
  return [
    {
      title: "When",
      cell: (line) => <Time at={line.at} as="clock" />,
    },
    {
      title: "What",
      cell: (line) => (
        <>
          {line.kind}
          {line.entryKind !== line.kind && (
            <>
              {" "}
              <Tag>{line.entryKind}</Tag>
            </>
          )}
        </>
      ),
    },
    {
      title: "About",
      cell: (line) => <About line={line} hasStakes={hasStakes} />,
    },
    {
      title: "Reference",
      isMinor: true,
      className: "cell-key",
      cell: (line) => (
        <bdi className="mono clip">
          {line.reference} <span className="faint">transfer {line.transferId}</span>
        </bdi>
      ),
    },
    {
      title: `Amount, ${currency}`,
      align: "end",
      className: "nowrap",
      cell: (line) => (
        <span className={line.amount > 0 ? "money-in" : ""}>{signed(line.amount, currency)}</span>
      ),
    },
    {
      title: "Balance after",
      align: "end",
      className: "nowrap",
      cell: (line) => (line.balance === null ? "" : amountOf(line.balance, currency)),
    },
  ];
}

function About({ line, hasStakes }: { readonly line: Line; readonly hasStakes: boolean }) {
  if (!hasStakes || (line.sessionId === null && line.queueId === null)) {
    return <span className="faint">–</span>;
  }
  return (
    <span className="row">
      {line.queueId !== null && (
        <Link to="/stakes/tickets/$ticketId" params={{ ticketId: String(line.queueId) }}>
          ticket {line.queueId}
        </Link>
      )}
      {line.sessionId !== null && (
        <Link to="/stakes/sessions/$sessionId" params={{ sessionId: String(line.sessionId) }}>
          session {line.sessionId}
        </Link>
      )}
    </span>
  );
}
