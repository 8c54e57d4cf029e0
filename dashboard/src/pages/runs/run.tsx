/** One run: its steps on a line of time, its attempts, and what it found. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { State } from "../../parts/badge.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useNow } from "../../time/clock.ts";
import { runRoute } from "./index.ts";
import { RunState } from "./run-state.tsx";
import { placed } from "./steps.ts";
import "./run.css";

type Told = Answers["RunTold"];
type Attempt = Answers["RunAttemptShown"];
type Match = Answers["InvestorMatch"];

const SHOWN = 20; // matches: the best

export function RunPage() {
  const { runId } = runRoute.useParams();
  const run = useQuery(
    reading(
      "/admin/runs/{run_id}",
      { params: { path: { run_id: runId } } },
      { areas: ["run"], everySeconds: 10 },
    ),
  );
  return <Loaded query={run}>{(told) => <Shown told={told} />}</Loaded>;
}

function Shown({ told }: { readonly told: Told }) {
  const { run } = told;
  return (
    <Page
      title={run.canonicalUrl}
      about={
        <span className="row">
          <RunState status={run.status} />
          <span className="mono">{run.runId}</span>
          <Copy text={run.runId} what="run's id" />
        </span>
      }
    >
      {run.errorCode && (
        <Panel title="What went wrong">
          <Facts
            facts={[
              ["Code", <code key="code">{run.errorCode}</code>],
              ["Says", <bdi key="says">{run.errorMessage}</bdi>],
            ]}
          />
        </Panel>
      )}
      <Panel title="Steps" aside="Of the newest attempt">
        <Steps told={told} />
      </Panel>
      <div className="grid">
        <Panel title="Facts">
          <Facts
            facts={[
              ["Asked with", <bdi key="input">{run.inputUrl}</bdi>],
              ["Startup", run.startupId],
              ["Matches", run.matchCount?.toLocaleString("en")],
              ["Corpus", run.corpusVersion],
              ["Asked", <Time key="asked" at={run.createdAt} as="full" />],
              ["Changed", <Time key="changed" at={run.updatedAt} as="full" />],
              [
                "Held by",
                run.lockedBy && (
                  <span key="held">
                    {run.lockedBy}, until <Time at={run.lockExpiresAt} />
                  </span>
                ),
              ],
              [
                "Job",
                told.jobId !== null && (
                  <span key="job" className="row">
                    <Link to="/jobs/$jobId" params={{ jobId: String(told.jobId) }}>
                      job {told.jobId}
                    </Link>
                    {told.jobState && <State name={told.jobState} />}
                  </span>
                ),
              ],
            ]}
          />
        </Panel>
        <Panel title="Attempts">
          {told.attempts.length === 0 ? (
            <Empty title="None has ended yet." />
          ) : (
            <Table
              label="Attempts"
              rows={told.attempts}
              rowId={(one) => one.token}
              columns={ATTEMPTS}
            />
          )}
        </Panel>
      </div>
      {run.status === "ready" && <Matches runId={run.runId} />}
    </Page>
  );
}

const ATTEMPTS: readonly Column<Attempt>[] = [
  { title: "Attempt", cell: (one) => one.attempt },
  { title: "Outcome", cell: (one) => <State name={one.outcome} /> },
  { title: "Ended", cell: (one) => <Time at={one.finishedAt} /> },
  {
    title: "Says",
    className: "cell-text",
    cell: (one) => (
      <span className="clip" dir="auto">
        {one.error}
      </span>
    ),
  },
];

function Steps({ told }: { readonly told: Told }) {
  const now = useNow();
  const steps = placed(told.steps, now);
  if (steps.length === 0) {
    return <Empty title="No worker has begun it yet." />;
  }
  return (
    <ol className="steps">
      {steps.map((one) => (
        <li key={one.step}>
          <span className="steps-name">{one.step}</span>
          <span className="steps-line">
            <span style={{ marginInlineStart: `${one.left}%`, width: `${one.width}%` }} />
          </span>
          <span className="steps-took">
            {one.milliseconds === null ? "under way" : `${one.milliseconds.toFixed(1)} ms`}
          </span>
        </li>
      ))}
    </ol>
  );
}

const MATCH_COLUMNS: readonly Column<Match>[] = [
  { title: "Investor", cell: (one) => <bdi>{one.name}</bdi> },
  { title: "Firm", isMinor: true, cell: (one) => <bdi>{one.firm}</bdi> },
  { title: "Score", align: "end", cell: (one) => one.score },
  {
    title: "Why",
    className: "cell-text",
    cell: (one) => (
      <span className="clip" dir="auto">
        {one.why.map((reason) => reason.says).join("; ")}
      </span>
    ),
  },
];

function Matches({ runId }: { readonly runId: string }) {
  const params = { path: { run_id: runId }, query: { limit: SHOWN } };
  const found = useQuery(reading("/api/match/run/{run_id}", { params }, { everySeconds: 300 }));
  return (
    <Panel title="Matches" aside={`The best ${SHOWN}`}>
      <Loaded query={found}>
        {(run) =>
          run.matches && run.matches.length > 0 ? (
            <Table
              label="Matches"
              rows={run.matches}
              rowId={(one) => one.investorId}
              columns={MATCH_COLUMNS}
            />
          ) : (
            <Empty title="No investor suits it." />
          )
        }
      </Loaded>
    </Panel>
  );
}
