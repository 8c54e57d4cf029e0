/** Reports by severity and age, and appeals that wait. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { ActButton, useAct } from "../../parts/actions.tsx";
import { Tag } from "../../parts/badge.tsx";
import { FilterBar, FilterChoice, FilterText, useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { decidingAppeal, ReportState, SeverityBadge } from "./decisions.tsx";
import { moderationRoute, REPORT_STATES } from "./index.ts";

type Report = Answers["ListedReport"];
type Appeal = Answers["Appeal"];

const COLUMNS: readonly Column<Report>[] = [
  {
    title: "Report",
    cell: (report) => (
      <Link to="/moderation/$reportId" params={{ reportId: report.id }}>
        {report.category.replaceAll("_", " ")}
      </Link>
    ),
  },
  { title: "Severity", cell: (report) => <SeverityBadge severity={report.severity} /> },
  {
    title: "Status",
    cell: (report) => (
      <span className="row">
        <ReportState status={report.status} />
        {report.restrained && <Tag>paused meanwhile</Tag>}
      </span>
    ),
  },
  { title: "About a", isMinor: true, cell: (report) => report.type },
  {
    title: "Says",
    isMinor: true,
    className: "cell-text",
    cell: (report) => (
      <span className="clip" dir="auto">
        {report.description}
      </span>
    ),
  },
  { title: "Made", cell: (report) => <Time at={report.createdAt} /> },
];

export function ModerationPage() {
  const filtered = useFilters(moderationRoute);
  const { filters, set } = filtered;
  const { status = "open", ...others } = filters;
  const query = { ...others, status, limit: 50 };
  const reports = usePages(
    reading("/admin/reports", { params: { query } }, { areas: ["safety"], everySeconds: 30 }),
  );
  return (
    <Page title="Moderation" about="The gravest first, and of those the oldest.">
      <FilterBar label="Which reports">
        <FilterChoice
          label="Status"
          value={filters.status}
          options={REPORT_STATES.filter((one) => one !== "open")}
          anyLabel="open"
          onChange={(next) => set({ status: next })}
        />
        <FilterText
          label="About the user"
          value={filters.userId}
          placeholder="id"
          onChange={(userId) => set({ userId })}
          isWide
        />
      </FilterBar>
      <Panel title="Reports">
        <List
          query={reports}
          filtered={filtered}
          rows={(page) => page.reports}
          empty={
            <Empty title={status === "open" ? "No report waits." : "There is no such report."} />
          }
        >
          {(rows) => (
            <Table label="Reports" rows={rows} rowId={(report) => report.id} columns={COLUMNS} />
          )}
        </List>
      </Panel>
      <Appeals />
    </Page>
  );
}

function Appeals() {
  const act = useAct();
  const appeals = useQuery(
    reading(
      "/admin/appeals",
      { params: { query: { status: "open", limit: 50 } } },
      { areas: ["safety"], everySeconds: 30 },
    ),
  );
  const columns: readonly Column<Appeal>[] = [
    {
      title: "Against",
      cell: (appeal) => (
        <Link to="/moderation" search={{ userId: appeal.userId, status: "decided" }}>
          {appeal.decision}
        </Link>
      ),
    },
    {
      title: "Says",
      className: "cell-text",
      cell: (appeal) => (
        <span className="clip" dir="auto">
          {appeal.reason}
        </span>
      ),
    },
    { title: "Until", isMinor: true, cell: (appeal) => <Time at={appeal.until} /> },
    { title: "Made", cell: (appeal) => <Time at={appeal.createdAt} /> },
    {
      title: "Actions",
      isTitleHidden: true,
      align: "end",
      cell: (appeal) => (
        <span className="row">
          <ActButton
            className="button-small"
            onClick={() => act(decidingAppeal(appeal, "overturned"))}
          >
            Overturn
          </ActButton>
          <ActButton className="button-small" onClick={() => act(decidingAppeal(appeal, "upheld"))}>
            Uphold
          </ActButton>
        </span>
      ),
    },
  ];
  return (
    <Panel title="Appeals" aside="That wait">
      <Loaded query={appeals} lines={2}>
        {(page) =>
          page.appeals.length === 0 ? (
            <Empty title="No appeal waits." />
          ) : (
            <Table
              label="Appeals"
              rows={page.appeals}
              rowId={(appeal) => appeal.id}
              columns={columns}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
