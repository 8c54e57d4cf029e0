/** All jobs, newest first, or by how their key begins. */

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Answers, reading } from "../../api/client.ts";
import { ActButton, useAct } from "../../parts/actions.tsx";
import { State } from "../../parts/badge.tsx";
import { useBulk } from "../../parts/bulk.tsx";
import { FilterBar, FilterChoice, FilterText, useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { percent } from "../../time/format.ts";
import { JOB_STATES, jobsRoute } from "./index.ts";
import { canCancel, cancelling, canRetry, retrying } from "./job-actions.ts";
import { useKinds, useLanes } from "./known.ts";

type Job = Answers["JobSummary"];

const COLUMNS: readonly Column<Job>[] = [
  {
    title: "Key",
    className: "cell-key",
    cell: (job) => (
      <Link to="/jobs/$jobId" params={{ jobId: String(job.id) }} title={job.key}>
        <bdi>{job.key}</bdi>
      </Link>
    ),
  },
  { title: "Kind", cell: (job) => <span className="mono">{job.kind}</span> },
  { title: "State", cell: (job) => <State name={job.state} /> },
  { title: "Lane", isMinor: true, cell: (job) => job.lane ?? <span className="faint">–</span> },
  { title: "Attempt", isMinor: true, align: "end", cell: (job) => job.attempt ?? "" },
  {
    title: "When",
    cell: (job) =>
      job.finishedAt ? (
        <Time at={job.finishedAt} />
      ) : job.startedAt ? (
        <>
          since <Time at={job.startedAt} />
        </>
      ) : (
        <>
          due <Time at={job.dueAt} />
        </>
      ),
  },
  {
    title: "Says",
    isMinor: true,
    className: "cell-text",
    cell: (job) => (
      <span className="clip" dir="auto">
        {job.progress !== null && `${percent(job.progress)} `}
        {job.message ?? job.reason}
      </span>
    ),
  },
];

export function JobsPage() {
  const filtered = useFilters(jobsRoute);
  const { filters, set, count } = filtered;
  const { after: _, ...narrowed } = filters;
  const act = useAct();
  const bulk = useBulk();
  const kinds = useKinds();
  const lanes = useLanes();
  const [chosen, choose] = useState<ReadonlySet<number>>(new Set());
  const query = { ...filters, limit: 50 };
  const jobs = usePages(
    reading("/admin/jobs", { params: { query } }, { areas: ["job", "stats"], everySeconds: 20 }),
  );
  const isLive = narrowed.state === undefined || canCancel(narrowed.state);
  return (
    <Page
      title="Jobs"
      about="Newest first; by kind or key in the order of keys."
      actions={
        <>
          {narrowed.state === "scheduled" && (
            <ActButton
              onClick={() =>
                bulk({
                  action: "retry",
                  filter: narrowed,
                  things: "jobs",
                  what: "Each runs now and does not wait for its time.",
                })
              }
            >
              Run all that match now
            </ActButton>
          )}
          {isLive && (
            <ActButton
              tone="danger"
              onClick={() =>
                bulk({
                  action: "cancel",
                  filter: narrowed,
                  things: "jobs that have not ended",
                  what: "Each is cancelled; those that run are told to stop.",
                })
              }
            >
              Cancel all that match
            </ActButton>
          )}
        </>
      }
    >
      <FilterBar label="Which jobs" filtered={filtered}>
        <FilterText
          label="Key begins with"
          value={filters.key}
          onChange={(key) => set({ key })}
          isWide
        />
        <FilterText
          label="Kind"
          value={filters.kind}
          options={kinds}
          onChange={(kind) => set({ kind })}
        />
        <FilterText
          label="Lane"
          value={filters.lane}
          options={lanes}
          onChange={(lane) => set({ lane })}
        />
        <FilterChoice
          label="State"
          value={filters.state}
          options={JOB_STATES}
          onChange={(state) => set({ state })}
        />
      </FilterBar>
      {filters.lane && filters.state && !canCancel(filters.state) && (
        <p className="soft">
          The lane is known of live jobs only: leave it out to find ended ones.
        </p>
      )}
      {/^\d{1,15}$/.test(filters.key ?? "") && (
        <p className="soft">
          Meant is an id?{" "}
          <Link to="/jobs/$jobId" params={{ jobId: filters.key ?? "" }}>
            Open job {filters.key}
          </Link>
        </p>
      )}
      <List
        query={jobs}
        filtered={filtered}
        rows={(page) => page.jobs}
        empty={
          <Empty title={count > 0 ? "No job is like that." : "There is no job yet."}>
            {count > 0
              ? "Keys are compared from their beginning, and letters count as they are written."
              : "What programs enqueue appears here at once."}
          </Empty>
        }
      >
        {(shown) => (
          <>
            <Table
              label="Jobs"
              rows={shown}
              rowId={(job) => job.id}
              rowName={(job) => job.key}
              columns={COLUMNS}
              selection={{ chosen, change: choose }}
              keys={[
                {
                  key: "r",
                  does: "Retry the row's job, or run it now",
                  run: (job) => canRetry(job.state) && act(retrying(job)),
                },
                {
                  key: "c",
                  does: "Cancel the row's job",
                  run: (job) => canCancel(job.state) && act(cancelling(job)),
                },
              ]}
            />
            <Chosen jobs={shown.filter((job) => chosen.has(job.id))} />
          </>
        )}
      </List>
    </Page>
  );
}

function Chosen({ jobs }: { readonly jobs: readonly Job[] }) {
  const act = useAct();
  const waiting = jobs.filter((job) => canRetry(job.state));
  const live = jobs.filter((job) => canCancel(job.state));
  if (jobs.length === 0) {
    return null;
  }
  return (
    <div className="selection-bar">
      <strong>{jobs.length} selected</strong>
      {waiting.length > 0 && (
        <ActButton
          onClick={() =>
            act({
              title: `Run ${waiting.length} jobs now`,
              what: "Dead letters are requeued, scheduled jobs do not wait for their time.",
              confirm: "Run now",
              run: each(waiting, (job, key) => retrying(job).run({ reason: "", key, values: {} })),
            })
          }
        >
          Run {waiting.length} now
        </ActButton>
      )}
      {live.length > 0 && (
        <ActButton
          tone="danger"
          onClick={() =>
            act({
              title: `Cancel ${live.length} jobs`,
              what: "Those that wait will not run; those that run are told to stop.",
              confirm: "Cancel the jobs",
              isDangerous: true,
              reason: "required",
              run: async ({ reason, key, values }) =>
                each(live, (job, own) => cancelling(job).run({ reason, key: own, values }))({
                  reason,
                  key,
                  values,
                }),
            })
          }
        >
          Cancel {live.length}
        </ActButton>
      )}
    </div>
  );
}

/** One after the other, each under a key of its own; says how many went through. */
function each(jobs: readonly Job[], run: (job: Job, key: string) => Promise<string>) {
  return async (_: { reason: string; key: string; values: Readonly<Record<string, string>> }) => {
    const { newKey } = await import("../../api/client.ts");
    const done = await Promise.allSettled(jobs.map((job) => run(job, newKey())));
    const failed = done.filter((one) => one.status === "rejected");
    if (failed.length === jobs.length) {
      throw (failed[0] as PromiseRejectedResult).reason;
    }
    return `${done.length - failed.length} done${failed.length ? `, ${failed.length} refused: they were not as this page thought` : ""}.`;
  };
}
