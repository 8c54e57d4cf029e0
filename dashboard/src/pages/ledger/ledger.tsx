/** What all accounts come to together, and the seals over what was written. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { Copy } from "../../parts/copy.tsx";
import { Pager, useFilters } from "../../parts/filter-bar.tsx";
import { Figure, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { span } from "../../time/format.ts";
import { ledgerRoute } from "./index.ts";
import { money } from "./money.ts";
import "./ledger.css";

type TrialLine = Answers["TrialLine"];
type Seal = Answers["SealShown"];

const SEALS = 20;

export function LedgerPage() {
  return (
    <Page
      title="Ledger"
      about="What all accounts come to, and the seals over what was written."
      actions={<FindPlayer />}
    >
      <Trial />
      <Seals />
    </Page>
  );
}

/** Enter leads to the player's own page: ids are whatever the program calls its players. */
export function FindPlayer() {
  const navigate = useNavigate();
  return (
    <form
      className="find"
      onSubmit={(event) => {
        event.preventDefault();
        const said = String(new FormData(event.currentTarget).get("player")).trim();
        if (said) {
          void navigate({ to: "/ledger/players/$playerId", params: { playerId: said } });
        }
      }}
    >
      <label className="field">
        <span>A player's ledger</span>
        <input name="player" required maxLength={200} placeholder="The player's id" />
      </label>
      <button type="submit" className="button">
        Look
      </button>
    </form>
  );
}

const ABOUT: Record<TrialLine["kind"], string> = {
  wallet: "players' money, theirs to withdraw",
  credit: "players' credit, theirs to stake",
  escrow: "staked, and in pots that are not paid out",
  revenue: "fees",
  cash: "what came from outside, less what went there",
};

const TRIAL: readonly Column<TrialLine>[] = [
  {
    title: "Accounts",
    cell: (line) => (
      <>
        <strong>{line.kind}</strong> <span className="soft">{ABOUT[line.kind]}</span>
      </>
    ),
  },
  { title: "How many", align: "end", cell: (line) => line.accounts.toLocaleString("en") },
  {
    title: "Held",
    align: "end",
    isMinor: true,
    cell: (line) => (line.held === null ? "" : money(line.held, line.currency)),
  },
  {
    title: "Balance",
    align: "end",
    className: "nowrap",
    cell: (line) => money(line.balance, line.currency),
  },
];

function Trial() {
  const trial = useQuery(
    reading("/admin/ledger/trial-balance", {}, { areas: ["ledger"], everySeconds: 60 }),
  );
  return (
    <Loaded query={trial} lines={5}>
      {({ lines, imbalance }) => {
        const escrow = lines.filter((line) => line.kind === "escrow");
        const isHeld = escrow.every((line) => line.held === line.balance);
        return (
          <>
            <dl className="figures">
              <Figure
                label="Imbalance"
                value={imbalance.toLocaleString("en")}
                note={imbalance === 0 ? "all accounts sum to zero" : "money came from nowhere"}
                tone={imbalance === 0 ? "good" : "bad"}
              />
              {escrow.map((line) => (
                <Figure
                  key={line.currency}
                  label={`In escrow, ${line.currency}`}
                  value={money(line.balance, line.currency)}
                  note={
                    isHeld
                      ? "as much as is held"
                      : `${money(line.held ?? 0, line.currency)} is held`
                  }
                  {...(isHeld ? {} : { tone: "bad" as const })}
                />
              ))}
            </dl>
            <Panel title="Trial balance" aside="Read in one statement: the sums are of one moment">
              {lines.length === 0 ? (
                <Empty title="There is no account yet.">
                  The first deposit opens one: <code>POST /admin/players/…/deposits</code>.
                </Empty>
              ) : (
                <Table
                  label="Trial balance"
                  rows={lines}
                  rowId={(line) => `${line.kind} ${line.currency}`}
                  columns={TRIAL}
                />
              )}
            </Panel>
          </>
        );
      }}
    </Loaded>
  );
}

const SEAL: readonly Column<Seal>[] = [
  { title: "Seal", align: "end", cell: (seal) => seal.number.toLocaleString("en") },
  { title: "Made", cell: (seal) => <Time at={seal.sealedAt} /> },
  { title: "Entries", align: "end", cell: (seal) => seal.entries.toLocaleString("en") },
  {
    title: "Hash",
    cell: (seal) => (
      <span className="nowrap">
        <code title={seal.hash}>{seal.hash.slice(0, 16)}…</code>
        <Copy text={seal.head} what={`head of seal ${seal.number}`} />
      </span>
    ),
  },
  {
    title: "Before",
    isMinor: true,
    cell: (seal) => (
      <code className="faint" title={seal.previous}>
        {seal.previous.slice(0, 16)}…
      </code>
    ),
  },
];

function Seals() {
  const { filters, go } = useFilters(ledgerRoute);
  const { after } = filters;
  const seals = useQuery({
    ...reading(
      "/admin/ledger/seals",
      { params: { query: { limit: SEALS, ...(after && { after }) } } },
      { areas: ["ledger"], everySeconds: 60 },
    ),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title="Seals" aside="handfast ledger verify computes them again">
      <Loaded query={seals} lines={5}>
        {(page) => (
          <>
            <p className="panel-body soft">
              {page.unsealedSeconds < 1
                ? "Every transfer is under a seal."
                : `The oldest transfer without a seal is ${span(page.unsealedSeconds)} old.`}{" "}
              Each seal has the one before in its hash. Keep heads somewhere else, too: a chain that
              lives only beside its rows proves little.
            </p>
            {page.seals.length === 0 ? (
              <Empty title="Nothing has been sealed yet." />
            ) : (
              <Table label="Seals" rows={page.seals} rowId={(seal) => seal.number} columns={SEAL} />
            )}
            <Pager
              next={page.next}
              isFirst={after === undefined}
              shown={page.seals.length}
              onGo={go}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}
