/** What recurs, what has fired of what was expected, and what is missing. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, post, reading } from "../../api/client.ts";
import { ActButton, type ActionRequest, useAct } from "../../parts/actions.tsx";
import { State, Tag } from "../../parts/badge.tsx";
import { useBulk } from "../../parts/bulk.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { type HeatCell, HeatMap, heat } from "../../parts/pictures.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { GapMapPanel } from "./gap-map.tsx";
import { pausing, resuming } from "./workers.tsx";

type Schedule = Answers["ScheduleView"];
type TickDay = Answers["TickDay"];
type GapReport = Answers["GapReport"];

const DAYS = 14;

export function SchedulesPage() {
  return (
    <Page
      title="Schedules"
      about="What recurs, what fired of what was expected, and what is missing."
    >
      <Gaps />
      <GapMapPanel />
      <Ticks />
      <Schedules />
    </Page>
  );
}

// --- gaps ----------------------------------------------------------------------------------------

export function missingIn(report: GapReport): number {
  return report.missing + report.resultMissing + report.stale + report.deadTransient;
}

/** What cannot be counted at all goes before what lacks most. */
export function worstFirst(a: GapReport, b: GapReport): number {
  return Number(b.error !== null) - Number(a.error !== null) || missingIn(b) - missingIn(a);
}

function Gaps() {
  const act = useAct();
  const bulk = useBulk();
  const gaps = useQuery(
    reading(
      "/admin/gaps",
      { params: { query: { limit: 20 } } },
      { everySeconds: 60 }, // looks at all that is expected: not at every event,
    ),
  );
  const columns: readonly Column<GapReport>[] = [
    { title: "Expectation", cell: (report) => <span className="mono">{report.name}</span> },
    {
      title: "Missing",
      align: "end",
      cell: (report) =>
        report.error !== null ? (
          <State name="failed" tone="bad" />
        ) : missingIn(report) > 0 ? (
          <strong className="bad">{missingIn(report).toLocaleString("en")}</strong>
        ) : (
          <span className="faint">0</span>
        ),
    },
    {
      title: "Expected",
      align: "end",
      cell: (report) => (report.error === null ? report.expected.toLocaleString("en") : "?"),
    },
    {
      title: "Of which",
      cell: (report) => (
        <span className="row">
          {PARTS.filter(([, part]) => part(report) > 0).map(([name, part]) => (
            <Tag key={name}>{`${part(report).toLocaleString("en")} ${name}`}</Tag>
          ))}
        </span>
      ),
    },
    {
      title: "Between",
      isMinor: true,
      cell: (report) => (
        <span className="soft nowrap">
          <Time at={report.since} /> and <Time at={report.until} />
        </span>
      ),
    },
    {
      title: "First ones",
      className: "cell-text",
      cell: (report) =>
        report.error === null ? <FirstGaps report={report} /> : <bdi>{report.error}</bdi>,
    },
    {
      title: "Actions",
      isTitleHidden: true,
      align: "end",
      cell: (report) =>
        missingIn(report) > 0 && (
          <ActButton className="button-small" onClick={() => act(repairing(report))}>
            Repair
          </ActButton>
        ),
    },
  ];
  return (
    <Panel
      title="Gaps"
      aside={
        <ActButton
          className="button-small"
          onClick={() =>
            bulk({
              action: "repair",
              filter: {},
              things: "gaps",
              what: "What is missing is enqueued, what is stale is run again, and what died of something that passes is requeued.",
            })
          }
        >
          Repair all
        </ActButton>
      }
    >
      <Loaded query={gaps} lines={3}>
        {(data) =>
          data.expectations.length === 0 ? (
            <Empty title="Nothing is expected.">
              A program says what must exist with <code>hf.expect(…)</code>; what lacks is found
              here and repaired by the hour.
            </Empty>
          ) : (
            <Table
              label="Gaps"
              rows={[...data.expectations].sort(worstFirst)}
              rowId={(report) => report.name}
              columns={columns}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

const PARTS: readonly (readonly [string, (report: GapReport) => number])[] = [
  ["never enqueued", (report) => report.missing],
  ["without a result", (report) => report.resultMissing],
  ["stale", (report) => report.stale],
  ["dead, and may pass", (report) => report.deadTransient],
  ["dead for good", (report) => report.dead],
];

function FirstGaps({ report }: { readonly report: GapReport }) {
  const shown = report.gaps.slice(0, 3);
  return (
    <ul className="clip">
      {shown.map((gap) => (
        <li key={gap.key}>
          {gap.jobId === null ? (
            <bdi>{gap.key}</bdi>
          ) : (
            <Link to="/jobs/$jobId" params={{ jobId: String(gap.jobId) }}>
              <bdi>{gap.key}</bdi>
            </Link>
          )}{" "}
          <span className="faint">
            {gap.gap}, due <Time at={gap.dueAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function repairing(report: GapReport): ActionRequest {
  return {
    title: `Repair ${report.name}`,
    what: (
      <p>
        {missingIn(report).toLocaleString("en")} of {report.expected.toLocaleString("en")} jobs of
        the kind <code>{report.kind}</code> are missing. What was never enqueued is enqueued, what
        is stale runs again, what died of something that passes is requeued. The hourly repair does
        the same.
      </p>
    ),
    confirm: "Repair",
    run: async ({ key }) => {
      const params = { query: { name: report.name } };
      const { expectations } = await post("/admin/gaps/repair", { params }, key);
      const done = expectations.reduce(
        (sum, one) => sum + one.enqueued + one.revived + one.requeued,
        0,
      );
      return `${done.toLocaleString("en")} repaired in ${report.name}.`;
    },
  };
}

// --- ticks ---------------------------------------------------------------------------------------

/** The last days of UTC, oldest first. */
export function lastDays(today: Date, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(today);
    day.setUTCDate(day.getUTCDate() - (count - 1 - at));
    return day.toISOString().slice(0, 10);
  });
}

export function tickCell(day: string, found: TickDay | undefined): HeatCell {
  if (!found || found.expected === 0) {
    return { tone: "none", label: `Nothing was expected on ${day}` };
  }
  const missed = found.expected - found.fired;
  const label = `${found.fired} of ${found.expected} fired on ${day}${
    found.caughtUp ? `, ${found.caughtUp} of them late` : ""
  }${found.skipped ? `, ${found.skipped} skipped` : ""}${
    found.late ? `, ${found.late} due and not fired yet` : ""
  }`;
  if (found.late > 0) {
    return { tone: "bad", text: `${found.fired}/${found.expected}`, label };
  }
  if (missed > 0) {
    return { tone: "wait", text: `${found.fired}/${found.expected}`, label };
  }
  return { tone: heat(1), text: String(found.fired), label };
}

function Ticks() {
  const ticks = useQuery(
    reading("/admin/figures/ticks", { params: { query: { days: DAYS } } }, { everySeconds: 60 }),
  );
  return (
    <Panel title="Ticks: expected against fired" aside={`The last ${DAYS} days of UTC`}>
      <div className="panel-body">
        <Loaded query={ticks} lines={3}>
          {({ days }) => {
            if (days.length === 0) {
              return <Empty title="No tick was expected yet." />;
            }
            const columns = lastDays(new Date(), DAYS);
            const names = [...new Set(days.map((one) => one.schedule))];
            const of = new Map(days.map((one) => [`${one.schedule} ${one.day}`, one]));
            return (
              <HeatMap
                label="Ticks that fired, of those that were expected"
                columns={columns.map((day) => day.slice(5))}
                rows={names.map((name) => ({
                  name,
                  title: <span className="mono">{name}</span>,
                  cells: columns.map((day) => tickCell(day, of.get(`${name} ${day}`))),
                }))}
              />
            );
          }}
        </Loaded>
      </div>
    </Panel>
  );
}

// --- schedules -----------------------------------------------------------------------------------

function Schedules() {
  const act = useAct();
  const schedules = useQuery(
    reading("/admin/schedules", {}, { areas: ["stats", "pause"], everySeconds: 30 }),
  );
  const columns: readonly Column<Schedule>[] = [
    {
      title: "Schedule",
      cell: (one) => (
        <>
          <span className="mono">{one.name}</span>
          <br />
          <span className="soft">{one.words}</span>
        </>
      ),
    },
    { title: "State", cell: (one) => <ScheduleState schedule={one} /> },
    {
      title: "Starts",
      isMinor: true,
      cell: (one) => (
        <Link to="/jobs" search={{ kind: one.kind }} className="mono">
          {one.kind}
        </Link>
      ),
    },
    { title: "Next", cell: (one) => <Time at={one.nextAt} /> },
    {
      title: "Last",
      cell: (one) => (
        <>
          <Time at={one.lastFired} />
          {one.lastSkipped && (
            <>
              <br />
              <span className="faint">skipped: {one.lastSkipped}</span>
            </>
          )}
        </>
      ),
    },
    {
      title: "Actions",
      isTitleHidden: true,
      align: "end",
      cell: (one) =>
        one.paused ? (
          <ActButton className="button-small" onClick={() => act(resuming("schedule", one.name))}>
            Resume
          </ActButton>
        ) : (
          <ActButton className="button-small" onClick={() => act(pausing("schedule", one.name))}>
            Pause
          </ActButton>
        ),
    },
  ];
  return (
    <Panel title="Schedules">
      <Loaded query={schedules}>
        {(data) =>
          data.schedules.length === 0 ? (
            <Empty title="Nothing recurs here.">
              A program declares schedules with <code>hf.schedule(…)</code>.
            </Empty>
          ) : (
            <Table
              label="Schedules"
              rows={data.schedules}
              rowId={(one) => one.name}
              columns={columns}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function ScheduleState({ schedule }: { readonly schedule: Schedule }) {
  if (schedule.paused) {
    return (
      <>
        <State name="paused" tone="wait" />
        <br />
        <span className="soft">
          by <bdi>{schedule.pausedBy}</bdi> <Time at={schedule.pausedAt} />
          {schedule.pauseReason && (
            <>
              : <bdi>{schedule.pauseReason}</bdi>
            </>
          )}
        </span>
      </>
    );
  }
  if (!schedule.declared) {
    return <State name="nobody has it" tone="off" />;
  }
  return schedule.lateBy ? <State name="late" tone="bad" /> : <State name="on time" tone="good" />;
}
