/** All match runs, newest first, and who asks most. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { Bar } from "../../parts/pictures.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { atLeast } from "../../time/format.ts";
import { runsRoute } from "./index.ts";
import { RunState } from "./run-state.tsx";

type Run = Answers["HeldRunView"];
type Startup = Answers["StartupRuns"];

const COLUMNS: readonly Column<Run>[] = [
  {
    title: "Address",
    className: "cell-key",
    cell: (run) => (
      <Link to="/runs/$runId" params={{ runId: run.runId }} title={run.inputUrl}>
        <bdi>{run.canonicalUrl}</bdi>
      </Link>
    ),
  },
  { title: "Status", cell: (run) => <RunState status={run.status} /> },
  { title: "Step", isMinor: true, cell: (run) => run.step },
  { title: "Matches", align: "end", cell: (run) => run.matchCount ?? "" },
  { title: "Corpus", isMinor: true, align: "end", cell: (run) => run.corpusVersion ?? "" },
  { title: "Asked", cell: (run) => <Time at={run.createdAt} /> },
  {
    title: "Says",
    isMinor: true,
    className: "cell-text",
    cell: (run) => (
      <span className="clip" dir="auto">
        {run.errorCode ?? (run.lockedBy && `held by ${run.lockedBy}`)}
      </span>
    ),
  },
];

export function RunsPage() {
  const filtered = useFilters(runsRoute);
  const query = { ...filtered.filters, limit: 50 };
  const runs = usePages(
    reading(
      "/api/match/runs",
      { params: { query } },
      { areas: ["run", "stats"], everySeconds: 20 },
    ),
  );
  return (
    <Page
      title="Match runs"
      about={
        <>
          Which investors suit a startup. What anybody sees is at{" "}
          <a href="/match">the public page</a>.
        </>
      }
    >
      <Startups />
      <Panel title="Runs" aside="Newest first">
        <List
          query={runs}
          filtered={filtered}
          rows={(page) => page.runs}
          empty={
            <Empty title="Nobody has asked yet.">
              A run begins at <a href="/match">the public page</a>, with{" "}
              <code>POST /api/match/run</code>, or in SQL with{" "}
              <code>handfast.start_match_run(url)</code>.
            </Empty>
          }
        >
          {(rows) => (
            <Table label="Match runs" rows={rows} rowId={(run) => run.runId} columns={COLUMNS} />
          )}
        </List>
      </Panel>
    </Page>
  );
}

const STARTUPS = 5;

function Startups() {
  const startups = useQuery(
    reading(
      "/api/match/startups",
      { params: { query: { limit: STARTUPS } } },
      { areas: ["run"], everySeconds: 60 },
    ),
  );
  const columns: readonly Column<Startup>[] = [
    {
      title: "Startup",
      cell: (one) => <bdi>{one.startupId ?? "not in the corpus"}</bdi>,
    },
    { title: "Runs", align: "end", cell: (one) => atLeast(one.runs, one.atLeast) },
    {
      title: "How they ended",
      cell: (one) => (
        <Bar
          whole={one.runs}
          parts={[
            { name: "ready", value: one.ready, fill: "accent" },
            { name: "failed", value: one.failed, fill: "bad" },
          ]}
        />
      ),
    },
    { title: "Newest", cell: (one) => <Time at={one.newestAt} /> },
  ];
  return (
    <Panel title="Asked for most" aside="By startup">
      <Loaded query={startups} lines={3}>
        {(page) =>
          page.startups.length === 0 ? (
            <Empty title="Nobody has asked yet." />
          ) : (
            <Table
              label="Runs by startup"
              rows={page.startups}
              rowId={(one) => one.startupId ?? ""}
              columns={columns}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
