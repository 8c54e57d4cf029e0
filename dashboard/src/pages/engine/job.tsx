/** One job's whole story: why it does not run, its attempts, its chain, its events, what it is for. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { useKeys } from "../../keys/keys.ts";
import { ActButton, useAct } from "../../parts/actions.tsx";
import { Address } from "../../parts/address.tsx";
import { State, Tag } from "../../parts/badge.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Code, Json } from "../../parts/json.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { percent, span } from "../../time/format.ts";
import * as registry from "../registry.ts";
import { jobRoute } from "./index.ts";
import {
  canCancel,
  cancelling,
  canRetry,
  canRevive,
  discarding,
  retrying,
  reviving,
} from "./job-actions.ts";
import "./job.css";

type Identity = Answers["IdentityView"];
type Job = Answers["JobDetail"];
type Attempt = Answers["AttemptView"];

export function JobPage() {
  const { jobId } = jobRoute.useParams();
  const job = Number(jobId);
  const isId = Number.isSafeInteger(job) && job > 0;
  const identity = useQuery(
    reading(
      "/admin/identity",
      { params: { query: { job } } },
      { areas: ["job", "stats"], everySeconds: 10, enabled: isId },
    ),
  );
  if (!isId) {
    return (
      <Page title="No such job">
        <Empty title="A job's id is a number.">
          Look for it by its key: press <kbd>/</kbd>.
        </Empty>
      </Page>
    );
  }
  if (!identity.data) {
    return (
      <Page title={`Job ${job}`}>
        <Loaded query={identity}>{() => null}</Loaded>
      </Page>
    );
  }
  return (
    <Loaded query={identity}>{(found) => <Whole key={found.job.id} identity={found} />}</Loaded>
  );
}

function Whole({ identity }: { readonly identity: Identity }) {
  const { job, why, connections, events, deliveries } = identity;
  const act = useAct();
  useKeys([
    {
      key: "r",
      does: "Retry the job, or run it now",
      run: () => canRetry(job.state) && act(retrying(job)),
    },
    {
      key: "c",
      does: "Cancel the job",
      run: () => canCancel(job.state) && act(cancelling(job)),
    },
  ]);
  const isDone = job.state === "succeeded";
  return (
    <Page
      title={job.key}
      about={
        <span className="row">
          <State name={job.state} />
          <Link to="/jobs" search={{ kind: job.kind }} className="mono">
            {job.kind}
          </Link>
          <span className="faint">job {job.id}</span>
          <Copy text={job.key} what="key" />
          {job.cancelling && <State name="told to stop" tone="wait" />}
          {job.discardedAt && <State name="discarded" tone="off" />}
          {job.repaired && <Tag>repaired</Tag>}
        </span>
      }
      actions={
        <>
          {canRetry(job.state) && !job.discardedAt && (
            <ActButton tone="primary" onClick={() => act(retrying(job))}>
              {job.state === "dead" ? "Requeue" : "Run now"}
            </ActButton>
          )}
          {canRevive(job.state) && !job.pruned && (
            <ActButton onClick={() => act(reviving(job))}>Run again</ActButton>
          )}
          {canCancel(job.state) && (
            <ActButton tone="danger" onClick={() => act(cancelling(job))}>
              Cancel
            </ActButton>
          )}
          {job.state === "dead" && !job.discardedAt && (
            <ActButton tone="danger" onClick={() => act(discarding([job]))}>
              Discard
            </ActButton>
          )}
        </>
      }
    >
      {!isDone && <Why reasons={why} />}
      {job.progress !== null && job.state === "running" && <Progress job={job} />}
      <div className="grid">
        <Panel title="Attempts" className="two-thirds" aside={attemptsSaid(job)}>
          <Attempts job={job} />
        </Panel>
        <div className="third stack">
          <Panel title="Facts">
            <JobFacts job={job} />
          </Panel>
          <Connections connections={connections} />
          <Chain job={job} />
        </div>
        <Panel title="Payload" className="half">
          <div className="panel-body">
            {job.pruned ? <Pruned /> : <Json value={job.payload} what="payload" />}
          </div>
        </Panel>
        <Panel title="Result" className="half">
          <div className="panel-body">
            {job.pruned ? <Pruned /> : <Json value={job.result} what="result" />}
          </div>
        </Panel>
        <Panel title="Events" aside="What was said about it, oldest first">
          {events.length === 0 ? (
            <Empty title="Nothing was said about it." />
          ) : (
            <Table
              label="Events"
              rows={events}
              rowId={(event) => event.id}
              columns={eventColumns(deliveries)}
            />
          )}
        </Panel>
      </div>
    </Page>
  );
}

function Pruned() {
  return <p className="faint">Dropped with its history, which is kept for a while only.</p>;
}

function attemptsSaid(job: Job): string {
  const failed = job.attempts.filter((one) => one.outcome !== "succeeded").length;
  return job.attempts.length === 0 ? "" : `${job.attempts.length}, of which ${failed} failed`;
}

function Why({ reasons }: { readonly reasons: Identity["why"] }) {
  return (
    <section className="why" aria-label="Why it is not running">
      <h2>Why it is not running</h2>
      <ol>
        {reasons.map((reason) => (
          <li key={`${reason.code} ${reason.text}`}>
            <span dir="auto">{reason.text}</span>{" "}
            {reason.at && (
              <span className="faint">
                <Time at={reason.at} />
              </span>
            )}
            {reason.note && (
              <p className="soft" dir="auto">
                {reason.note}
              </p>
            )}
            <Related jobs={reason.jobs ?? []} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Progress({ job }: { readonly job: Job }) {
  return (
    <div>
      <progress aria-label="How far it is" max={1} value={job.progress ?? 0} />
      <p className="soft">
        {percent(job.progress)} <bdi>{job.message}</bdi> <Time at={job.reportedAt} />
      </p>
    </div>
  );
}

function Attempts({ job }: { readonly job: Job }) {
  if (job.attempts.length === 0) {
    return job.pruned ? (
      <Empty title="Its history has been dropped." />
    ) : (
      <Empty title="It has not been tried yet." />
    );
  }
  return (
    <ol className="attempts">
      {job.attempts.map((attempt) => (
        <AttemptStory key={`${attempt.attempt} ${attempt.finishedAt}`} attempt={attempt} />
      ))}
    </ol>
  );
}

function AttemptStory({ attempt }: { readonly attempt: Attempt }) {
  const { startedAt, dueAt, finishedAt, seconds } = attempt;
  const waited = startedAt && dueAt ? (Date.parse(startedAt) - Date.parse(dueAt)) / 1000 : null;
  return (
    <li className="attempt" data-outcome={attempt.outcome}>
      <div className="row">
        <strong>{attempt.attempt}</strong>
        <State name={attempt.outcome} />
        {attempt.errorClass && <Tag>{attempt.errorClass}</Tag>}
        <span className="soft">
          {seconds !== null && `took ${span(seconds)}`}
          {waited !== null && waited > 0.5 && `, waited ${span(waited)}`}
          {attempt.workerName && ` on ${attempt.workerName}`}
        </span>
        <span className="attempt-when">
          <Time at={finishedAt} as="full" />
        </span>
      </div>
      {attempt.error && (
        <p className="attempt-error" dir="auto">
          {attempt.error}
        </p>
      )}
      {attempt.trace && <Code text={attempt.trace} what={`trace of attempt ${attempt.attempt}`} />}
    </li>
  );
}

function JobFacts({ job }: { readonly job: Job }) {
  const full = (at: string | null) => at && <Time at={at} as="full" />;
  return (
    <Facts
      facts={[
        [
          "Lane",
          job.lane && (
            <Link to="/jobs" search={{ lane: job.lane }}>
              {job.lane}
            </Link>
          ),
        ],
        ["Group", job.group],
        ["Priority", job.priority],
        ["Enqueued", full(job.enqueuedAt)],
        ["Due", full(job.dueAt)],
        ["First due", job.firstDueAt === job.dueAt ? null : full(job.firstDueAt)],
        ["Deadline", full(job.deadlineAt)],
        ["Started", full(job.startedAt)],
        ["Finished", full(job.finishedAt)],
        ["Worker", job.workerName && `${job.workerName} (${job.worker})`],
        ["Failures", job.failures],
        ["Anchor", job.anchor],
        [
          "Offset",
          job.anchorOffsetSeconds !== null &&
            `${span(job.anchorOffsetSeconds)} ${job.anchorOffsetSeconds < 0 ? "before" : "after"}`,
        ],
        ["Reason", job.reason && <bdi>{job.reason}</bdi>],
        ["Discarded", full(job.discardedAt)],
        ["Because", job.discardReason && <bdi>{job.discardReason}</bdi>],
      ].map(([name, value]) => [name as string, value || null] as const)}
    />
  );
}

/** What it is to a capability: its run, fixture, offer, delivery or money. */
function Connections({ connections }: { readonly connections: Identity["connections"] }) {
  if (connections.length === 0) {
    return null;
  }
  return (
    <Panel title="What it is for">
      <ul className="connections">
        {connections.map((connection) => {
          const address = addressOf(connection);
          return (
            <li key={`${connection.capability} ${connection.what} ${connection.id}`}>
              <p>
                <Tag>{connection.capability}</Tag>{" "}
                {address ? (
                  <Address to={address}>
                    {connection.what} <bdi>{connection.id}</bdi>
                  </Address>
                ) : (
                  <>
                    {connection.what} <bdi className="mono">{connection.id}</bdi>
                  </>
                )}
              </p>
              <Facts
                facts={Object.entries(connection.facts ?? {}).map(
                  ([name, value]) => [name, <bdi key={name}>{plain(value)}</bdi>] as const,
                )}
              />
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function addressOf(connection: Answers["JobConnection"]): string | null {
  for (const brought of Object.values(registry)) {
    const found = brought.connection?.(connection);
    if (found) {
      return found;
    }
  }
  return null;
}

function Chain({ job }: { readonly job: Job }) {
  if (job.requires.length === 0 && job.awaitedBy.length === 0) {
    return null;
  }
  return (
    <Panel title="Chain">
      <div className="panel-body stack">
        {job.requires.length > 0 && (
          <div>
            <h3 className="soft">It waits for</h3>
            <Related jobs={job.requires} />
          </div>
        )}
        {job.awaitedBy.length > 0 && (
          <div>
            <h3 className="soft">They wait for it</h3>
            <Related jobs={job.awaitedBy} />
          </div>
        )}
      </div>
    </Panel>
  );
}

function Related({ jobs }: { readonly jobs: readonly Answers["RelatedJob"][] }) {
  if (jobs.length === 0) {
    return null;
  }
  return (
    <ul className="related">
      {jobs.map((job) => (
        <li key={job.id} className="row">
          <State name={job.state} />
          <Link to="/jobs/$jobId" params={{ jobId: String(job.id) }}>
            <bdi>{job.key}</bdi>
          </Link>
          <span className="faint mono">{job.kind}</span>
        </li>
      ))}
    </ul>
  );
}

type Event = Answers["IdentityEvent"];

function eventColumns(deliveries: Identity["deliveries"]): readonly Column<Event>[] {
  return [
    { title: "Event", cell: (event) => <span className="mono">{event.type}</span> },
    { title: "When", cell: (event) => <Time at={event.at} /> },
    {
      title: "About",
      isMinor: true,
      cell: (event) => <bdi className="mono">{event.aggregate}</bdi>,
    },
    {
      title: "Data",
      className: "cell-text",
      cell: (event) => (
        <code className="clip" dir="auto">
          {JSON.stringify(event.data)}
        </code>
      ),
    },
    {
      title: "Sent",
      cell: (event) => {
        const own = deliveries.filter((one) => one.eventId === event.id);
        return own.length === 0 ? (
          <span className="faint">to nobody</span>
        ) : (
          <ul>
            {own.map((one) => (
              <li key={one.jobId} className="row">
                <State name={one.state} />
                <Link to="/jobs/$jobId" params={{ jobId: String(one.jobId) }}>
                  delivery {one.jobId}
                </Link>
              </li>
            ))}
          </ul>
        );
      },
    },
  ];
}
