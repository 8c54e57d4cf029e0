/** How it is doing: what is done and what fails, what waits and where, what wants a person. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Suspense, useRef } from "react";
import { type Answers, reading } from "../../api/client.ts";
import { Figure, Page, Panel } from "../../parts/page.tsx";
import { Bar, Chart } from "../../parts/pictures.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useDashboard } from "../../session/dashboard.ts";
import { serverNow } from "../../time/clock.ts";
import { atLeast, bytes, percent, span } from "../../time/format.ts";
import type { OverviewPanel } from "../brought.ts";
import * as registry from "../registry.ts";
import "./overview.css";

type Stats = Answers["Stats"];
type Alert = Answers["Alert"];

export function OverviewPage() {
  const stats = useQuery(reading("/admin/stats", {}, { areas: ["alert"], everySeconds: 15 }));
  return (
    <Page title="Overview">
      <Loaded query={stats}>
        {(data) => (
          <>
            <Alerts alerts={data.alerts} />
            <Figures stats={data.stats} />
            <div className="grid">
              <div className="two-thirds stack">
                <Throughput />
                <Kinds />
              </div>
              <div className="third stack">
                <Depth stats={data.stats} />
                <Cost stats={data.stats} />
              </div>
              <BroughtPanels />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Alerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  const raised = alerts.filter((alert) => alert.clearedAt === null);
  if (raised.length === 0) {
    return <p className="all-well">No alert is raised.</p>;
  }
  return (
    <section className="alerts" aria-label="Alerts">
      {raised.map((alert) => (
        <div key={alert.name} className="alert">
          <strong>{alert.summary}</strong>
          <span className="alert-more">
            {alert.value.toLocaleString("en", { maximumFractionDigits: 3 })}, above{" "}
            {alert.threshold.toLocaleString("en")}; raised <Time at={alert.raisedAt} />
            {alert.name === "dead_letters" && (
              <>
                {" "}
                · <Link to="/dead">Look at them</Link>
              </>
            )}
          </span>
        </div>
      ))}
    </section>
  );
}

function Figures({ stats }: { readonly stats: Stats }) {
  const { recent, countMax } = stats;
  const minutes = Math.round(recent.seconds / 60);
  return (
    <dl className="figures">
      <Figure
        label="Attempts a second"
        value={recent.perSecond.toLocaleString("en", { maximumFractionDigits: 1 })}
        note={`${recent.attempts.toLocaleString("en")} in ${minutes} min`}
      />
      <Figure
        label="Failed"
        value={percent(recent.failureRate)}
        note={`${(recent.failed + recent.lost).toLocaleString("en")} attempts`}
        {...((recent.failureRate ?? 0) > 0.01 ? { tone: "bad" as const } : {})}
      />
      <Figure
        label="Slowest 5 %"
        value={recent.p95Seconds === null ? "–" : span(recent.p95Seconds)}
        note="of the slowest kind"
      />
      <Figure
        label="Overdue"
        value={atLeast(stats.overdue, stats.overdue >= countMax)}
        note={stats.ready > 0 ? `oldest waits ${span(stats.oldestReadySeconds)}` : "nothing waits"}
        {...(stats.overdue > 1000 ? { tone: "bad" as const } : {})}
      />
      <Figure
        label="Dead letters"
        value={<Link to="/dead">{atLeast(stats.dead, stats.dead >= countMax)}</Link>}
        note="wait for a person"
        {...(stats.dead > 0 ? { tone: "bad" as const } : {})}
      />
      <Figure
        label="Workers"
        value={<Link to="/workers">{stats.workers}</Link>}
        note={`${stats.running.toLocaleString("en")} jobs run`}
        {...(stats.workers === 0 ? { tone: "bad" as const } : {})}
      />
    </dl>
  );
}

/** Every minute of the window: those in which nothing was done are zeros, not holes. */
export function everyMinute(
  points: readonly Answers["FigurePoint"][],
  since: number,
  count: number,
) {
  const by = new Map(points.map((point) => [Math.floor(Date.parse(point.at) / 60_000), point]));
  const first = Math.floor(since / 60_000);
  const minutes = Array.from({ length: count }, (_, at) => first + at);
  const line = (read: (point: Answers["FigurePoint"]) => number) =>
    minutes.map((minute) => {
      const point = by.get(minute);
      return point ? read(point) : 0;
    });
  return {
    times: minutes.map((minute) => minute * 60),
    succeeded: line((point) => point.succeeded),
    failed: line((point) => point.failed + point.lost),
  };
}

function Throughput() {
  const figures = useQuery(reading("/admin/figures", {}, { everySeconds: 15 }));
  return (
    <Panel title="Attempts by the minute" aside="The last hour">
      <div className="panel-body">
        <Loaded query={figures} lines={4}>
          {({ points }) => {
            const { times, succeeded, failed } = everyMinute(points, serverNow() - 59 * 60_000, 60);
            const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
            return (
              <Chart
                label={`In the last hour ${sum(succeeded)} attempts succeeded and ${sum(failed)} failed`}
                times={times}
                lines={[
                  { name: "succeeded", values: succeeded, color: "accent", isFilled: true },
                  { name: "failed or lost", values: failed, color: "bad" },
                ]}
              />
            );
          }}
        </Loaded>
      </div>
    </Panel>
  );
}

const STATES = [
  { state: "running", fill: "busy" },
  { state: "ready", fill: "accent" },
  { state: "scheduled", fill: "wait" },
  { state: "blocked", fill: "off" },
] as const;

function Depth({ stats }: { readonly stats: Stats }) {
  const lanes = [...new Set(stats.lanes.map((one) => one.lane))].sort();
  const of = (lane: string, state: string) =>
    stats.lanes.find((one) => one.lane === lane && one.state === state);
  const most = Math.max(
    1,
    ...lanes.map((lane) =>
      STATES.reduce((sum, { state }) => sum + (of(lane, state)?.jobs ?? 0), 0),
    ),
  );
  return (
    <Panel title="Waiting, by lane" aside={<Link to="/jobs">All jobs</Link>}>
      {lanes.length === 0 ? (
        <Empty title="Nothing waits." />
      ) : (
        <div className="panel-body">
          <ul className="lanes">
            {lanes.map((lane) => (
              <li key={lane}>
                <div className="lane-head">
                  <Link to="/jobs" search={{ lane }}>
                    {lane}
                  </Link>
                  <span className="soft">
                    {STATES.map(({ state }) => of(lane, state))
                      .filter((one) => one !== undefined)
                      .map((one) => `${atLeast(one.jobs, one.capped)} ${one.state}`)
                      .join(", ")}
                  </span>
                </div>
                <Bar
                  whole={most}
                  parts={STATES.map(({ state, fill }) => ({
                    name: state,
                    value: of(lane, state)?.jobs ?? 0,
                    fill,
                  }))}
                />
              </li>
            ))}
          </ul>
          <p className="legend">
            {STATES.map(({ state, fill }) => (
              <span key={state}>
                <span className={`legend-mark fill-${fill}`} aria-hidden="true" />
                {state}
              </span>
            ))}
          </p>
        </div>
      )}
    </Panel>
  );
}

const KINDS: readonly Column<Answers["KindFigures"]>[] = [
  {
    title: "Kind",
    cell: (kind) => (
      <Link to="/jobs" search={{ kind: kind.kind }} className="mono">
        {kind.kind}
      </Link>
    ),
  },
  { title: "Succeeded", align: "end", cell: (kind) => kind.succeeded.toLocaleString("en") },
  {
    title: "Failed",
    align: "end",
    cell: (kind) => <Count value={kind.failed + kind.lost} />,
  },
  { title: "Died", align: "end", cell: (kind) => <Count value={kind.died} /> },
  {
    title: "Median",
    align: "end",
    isMinor: true,
    cell: (kind) => (kind.p50Seconds === null ? "–" : span(kind.p50Seconds)),
  },
  {
    title: "Slowest 5 %",
    align: "end",
    isMinor: true,
    cell: (kind) => (kind.p95Seconds === null ? "–" : span(kind.p95Seconds)),
  },
];

function Count({ value }: { readonly value: number }) {
  return <span className={value > 0 ? "bad" : "faint"}>{value.toLocaleString("en")}</span>;
}

function Kinds() {
  const kinds = useQuery(reading("/admin/figures/kinds", {}, { everySeconds: 30 }));
  return (
    <Panel title="Busiest kinds" aside="The last hour">
      <Loaded query={kinds} lines={5}>
        {(data) =>
          data.kinds.length === 0 ? (
            <Empty title="Nothing was done in the last hour." />
          ) : (
            <Table
              label="Busiest kinds"
              rows={data.kinds.slice(0, 10)}
              rowId={(kind) => kind.kind}
              columns={KINDS}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** What capabilities have to say here, such as the world's zones with the line of 09:00. */
function BroughtPanels() {
  const { capabilities } = useDashboard();
  const panels: OverviewPanel[] = Object.values(registry).flatMap((one) => [...(one.panels ?? [])]);
  return (
    <>
      {panels
        .filter((panel) => capabilities.includes(panel.capability))
        .map(({ name, component: Panel }) => (
          <Suspense key={name}>
            <Panel />
          </Suspense>
        ))}
    </>
  );
}

type System = Answers["SystemView"];

/** Transactions a second, from two answers. */
export function perSecond(before: System | null, after: System): number | null {
  const seconds = before ? (Date.parse(after.now) - Date.parse(before.now)) / 1000 : 0;
  return before && seconds > 0 ? (after.transactions - before.transactions) / seconds : null;
}

/** What the database is asked to do, also while nobody asks for anything. */
function Cost({ stats }: { readonly stats: Stats }) {
  const { data } = useQuery(reading("/admin/system", {}, { everySeconds: 10 }));
  const pair = useRef<{ before: System | null; after: System | null }>({
    before: null,
    after: null,
  });
  if (data && data !== pair.current.after) {
    pair.current = { before: pair.current.after, after: data };
  }
  const { before, after } = pair.current;
  const rate = after && perSecond(before, after);
  return (
    <Panel title="What it costs">
      <dl className="facts">
        <div>
          <dt>Connections</dt>
          <dd>{data?.connections ?? "–"}</dd>
        </div>
        <div>
          <dt>Transactions</dt>
          <dd>
            {rate === null
              ? "counting …"
              : `${rate.toLocaleString("en", { maximumFractionDigits: 1 })} a second, with this page open`}
          </dd>
        </div>
        <div>
          <dt>Database</dt>
          <dd>{data ? bytes(data.databaseBytes) : "–"}</dd>
        </div>
        <div>
          <dt>Live jobs take</dt>
          <dd>{bytes(stats.liveBytes)}</dd>
        </div>
        <div>
          <dt>Jobs known</dt>
          <dd>about {stats.identitiesEstimated.toLocaleString("en")}</dd>
        </div>
        <div>
          <dt>Oldest transaction</dt>
          <dd>
            {stats.oldestTransactionSeconds < 1
              ? "none to speak of"
              : span(stats.oldestTransactionSeconds)}
          </dd>
        </div>
      </dl>
    </Panel>
  );
}
