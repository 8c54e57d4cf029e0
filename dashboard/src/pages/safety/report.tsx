/** One report: what it is about, the evidence, the person's history; and the decision. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { ActButton, useAct } from "../../parts/actions.tsx";
import { State, Tag } from "../../parts/badge.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { DECISIONS, deciding, noting, ReportState, SeverityBadge } from "./decisions.tsx";
import { reportRoute } from "./index.ts";

type Detail = Answers["ReportDetail"];
type Decision = Answers["Decision"];

const ORDER: readonly Decision[] = ["dismiss", "warn", "remove", "suspend", "ban"];

export function ReportPage() {
  const { reportId } = reportRoute.useParams();
  const report = useQuery(
    reading(
      "/admin/reports/{report_id}",
      { params: { path: { report_id: reportId } } },
      { areas: ["safety"], everySeconds: 60 },
    ),
  );
  return <Loaded query={report}>{(detail) => <Shown detail={detail} />}</Loaded>;
}

function Shown({ detail }: { readonly detail: Detail }) {
  const { report, history, notes, evidence } = detail;
  const act = useAct();
  return (
    <Page
      title={report.category.replaceAll("_", " ")}
      about={
        <span className="row">
          <ReportState status={report.status} />
          <SeverityBadge severity={report.severity} />
          {report.restrained && <Tag>paused until somebody decides</Tag>}
          <span className="mono">{report.id}</span>
          <Copy text={report.id} what="report's id" />
        </span>
      }
      actions={
        report.status === "open" &&
        ORDER.map((decision) => (
          <ActButton
            key={decision}
            {...(decision === "ban" || decision === "suspend" ? { tone: "danger" as const } : {})}
            onClick={() => act(deciding(report, decision))}
          >
            {DECISIONS[decision].name}
          </ActButton>
        ))
      }
    >
      <Panel title="What it says">
        <Facts
          facts={[
            ["Words", report.description && <bdi key="words">{report.description}</bdi>],
            ["About a", report.type],
            ["Person", <PersonLink key="person" id={report.userId} />],
            ["Reported by", <PersonLink key="reporter" id={report.reporterId} />],
            ["Made", <Time key="made" at={report.createdAt} as="full" />],
            ["Decided", report.decidedAt && <Time key="decided" at={report.decidedAt} as="full" />],
          ]}
        />
      </Panel>
      <Panel title="Evidence" aside="Copied when the report was made">
        {evidence.length === 0 ? (
          <Empty title="None was given." />
        ) : (
          <Table
            label="Evidence"
            rows={evidence.map((one, place) => ({ ...one, place }))}
            rowId={(one) => one.place}
            columns={EVIDENCE}
          />
        )}
      </Panel>
      <Panel title="The person's history">
        <Facts
          facts={[
            ["Reports", `${history.reports}, of which ${history.openReports} open`],
            ["By", `${history.reporters} people`],
            ["Blocked by", `${history.blockedBy} people`],
          ]}
        />
        {history.actions.length > 0 && (
          <Table
            label="Earlier decisions"
            rows={history.actions}
            rowId={(one) => one.id}
            columns={ACTIONS}
          />
        )}
      </Panel>
      <Panel
        title="Notes"
        aside={
          <ActButton className="button-small" onClick={() => act(noting(report))}>
            Write one
          </ActButton>
        }
      >
        {notes.length === 0 ? (
          <Empty title="Nobody has written one." />
        ) : (
          <Table label="Notes" rows={notes} rowId={(one) => one.id} columns={NOTES} />
        )}
      </Panel>
    </Page>
  );
}

function PersonLink({ id }: { readonly id: string }) {
  return (
    <Link to="/people/$userId" params={{ userId: id }} className="mono">
      {id}
    </Link>
  );
}

type Piece = Record<string, unknown>;

const EVIDENCE: readonly Column<Piece & { readonly place: number }>[] = [
  { title: "Sent", cell: (one) => <Time at={(one.sentAt as string | undefined) ?? null} /> },
  { title: "By", isMinor: true, cell: (one) => <span className="mono">{text(one.senderId)}</span> },
  {
    title: "Text",
    className: "cell-text",
    cell: (one) => <bdi>{one.content === null ? "(removed)" : text(one.content)}</bdi>,
  },
];

function text(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

const ACTIONS: readonly Column<Answers["ActionShown"]>[] = [
  { title: "Decision", cell: (one) => <State name={one.decision} tone="off" /> },
  { title: "When", cell: (one) => <Time at={one.decidedAt} /> },
  { title: "By", cell: (one) => <bdi>{one.decidedBy}</bdi> },
  { title: "Until", isMinor: true, cell: (one) => <Time at={one.until} /> },
  {
    title: "Note",
    isMinor: true,
    className: "cell-text",
    cell: (one) => (
      <span className="clip" dir="auto">
        {one.note}
      </span>
    ),
  },
];

const NOTES: readonly Column<Answers["ReportNote"]>[] = [
  { title: "When", cell: (one) => <Time at={one.writtenAt} /> },
  { title: "By", cell: (one) => <bdi>{one.writtenBy}</bdi> },
  { title: "Note", className: "cell-text", cell: (one) => <bdi>{one.note}</bdi> },
];
