/** Who waits at which stake, since when, and why nobody was found yet. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { Figure, Page, Panel } from "../../parts/page.tsx";
import { Bar } from "../../parts/pictures.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useCaller } from "../../session/dashboard.ts";
import { atLeast } from "../../time/format.ts";
import { money } from "../ledger/money.ts";
import { DisputeList } from "./disputes.tsx";
import { everyLine, whyOf } from "./lines.ts";
import { SESSION_COLUMNS, SubNav } from "./parts.tsx";

type Queues = Answers["QueueShown"];

const COUNTED_MAX = 1000; // the server counts no further

export function QueuesPage() {
  const isOperator = useCaller().role === "operator";
  const queues = useQuery(
    reading("/admin/stakes/queues", {}, { areas: ["stake"], everySeconds: 10 }),
  );
  return (
    <Page title="Stakes" about="Two stake the same and are paired; the winner takes the pot.">
      <SubNav />
      <Loaded query={queues}>{(found) => <Lines queues={found} isOperator={isOperator} />}</Loaded>
      {isOperator ? (
        <>
          <OpenDisputes />
          <NewestSessions />
        </>
      ) : (
        <p className="soft">Who plays, and their money, is for operators.</p>
      )}
    </Page>
  );
}

function Lines({ queues, isOperator }: { readonly queues: Queues; readonly isOperator: boolean }) {
  const { lines, matchmakers, fee, currency } = queues;
  const waiting = lines.reduce((sum, line) => sum + line.waiting, 0);
  const isCut = lines.some((line) => line.waiting >= COUNTED_MAX);
  const most = Math.max(2, ...lines.map((line) => line.waiting));
  const columns: readonly Column<ReturnType<typeof everyLine>[number]>[] = [
    {
      title: "Stake",
      align: "end",
      className: "nowrap",
      cell: ({ amount, line }) =>
        line && isOperator ? (
          <Link to="/stakes/tickets" search={{ amount }}>
            {money(amount, line.currency)}
          </Link>
        ) : (
          money(amount, line?.currency ?? currency)
        ),
    },
    {
      title: "Waiting",
      align: "end",
      cell: ({ line }) =>
        line ? (
          atLeast(line.waiting, line.waiting >= COUNTED_MAX)
        ) : (
          <span className="faint">0</span>
        ),
    },
    {
      title: "How many",
      isTitleHidden: true,
      isMinor: true,
      className: "line-bar",
      cell: ({ line }) => (
        <Bar
          whole={most}
          parts={[{ name: "waiting", value: line?.waiting ?? 0, fill: "accent" }]}
        />
      ),
    },
    { title: "Oldest", cell: ({ line }) => <Time at={line?.oldestAt} /> },
    {
      title: "Why nobody was found",
      className: "cell-text",
      cell: ({ line }) =>
        line ? whyOf(line, lines) : <span className="faint">Nobody waits here.</span>,
    },
  ];
  return (
    <>
      <dl className="figures">
        <Figure label="Waiting" value={atLeast(waiting, isCut)} note="at all stakes" />
        <Figure
          label="Who pairs"
          value={matchmakers.length}
          note={matchmakers.length === 0 ? "nobody: no worker of the lane stakes" : "matchmakers"}
          {...(matchmakers.length === 0 && waiting > 0 ? { tone: "bad" as const } : {})}
        />
        <Figure label="Fee" value={money(fee, currency)} note="of each ticket" />
      </dl>
      <Panel title="Queues by stake" aside="First come, first paired">
        <Table
          label="Queues by stake"
          rows={everyLine(queues)}
          rowId={({ amount, line }) => `${amount} ${line?.currency ?? ""}`}
          columns={columns}
        />
      </Panel>
    </>
  );
}

function OpenDisputes() {
  const disputes = useQuery(
    reading(
      "/admin/disputes",
      { params: { query: { limit: 5 } } },
      { areas: ["session"], everySeconds: 30 },
    ),
  );
  return (
    <Panel
      title="Disputes that wait for a person"
      aside={<Link to="/stakes/disputes">All disputes</Link>}
    >
      <Loaded query={disputes} lines={2}>
        {(page) =>
          page.disputes.length === 0 ? (
            <Empty title="Nothing waits for a person." />
          ) : (
            <DisputeList disputes={page.disputes} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function NewestSessions() {
  const sessions = useQuery(
    reading(
      "/admin/sessions",
      { params: { query: { limit: 10 } } },
      { areas: ["stake", "session"], everySeconds: 15 },
    ),
  );
  return (
    <Panel title="Newest sessions" aside={<Link to="/stakes/sessions">All sessions</Link>}>
      <Loaded query={sessions} lines={5}>
        {(page) =>
          page.sessions.length === 0 ? (
            <Empty title="Nobody has been paired yet." />
          ) : (
            <Table
              label="Newest sessions"
              rows={page.sessions}
              rowId={(session) => session.id}
              columns={SESSION_COLUMNS}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
