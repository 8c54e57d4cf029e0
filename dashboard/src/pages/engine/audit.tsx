/** What operators have changed, by whom and why. */

import { Link } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { FilterBar, FilterText, useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { auditRoute } from "./index.ts";

type Entry = Answers["AuditEntry"];

const COLUMNS: readonly Column<Entry>[] = [
  { title: "When", cell: (entry) => <Time at={entry.at} /> },
  {
    title: "Who",
    cell: (entry) => (
      <Link to="/audit" search={{ actor: entry.actor }}>
        <bdi>{entry.actor}</bdi>
      </Link>
    ),
  },
  { title: "Did", cell: (entry) => <span className="mono">{entry.action}</span> },
  {
    title: "To",
    className: "cell-key",
    cell: (entry) => <Subject subject={entry.subject} />,
  },
  {
    title: "Why",
    className: "cell-text",
    cell: (entry) => entry.reason && <bdi>{entry.reason}</bdi>,
  },
  {
    title: "Request",
    isMinor: true,
    cell: (entry) => <span className="mono faint">{entry.requestId?.slice(0, 13)}</span>,
  },
];

export function AuditPage() {
  const filtered = useFilters(auditRoute);
  const { filters, set, count } = filtered;
  const audit = usePages(reading("/admin/audit", { params: { query: { ...filters, limit: 50 } } }));
  return (
    <Page
      title="Audit"
      about="Every change that an operator has made. Nothing here can be changed."
    >
      <FilterBar label="Which changes" filtered={filtered}>
        <FilterText label="Who" value={filters.actor} onChange={(actor) => set({ actor })} />
        <FilterText
          label="Did"
          value={filters.action}
          placeholder="job.cancel"
          onChange={(action) => set({ action })}
        />
        <FilterText
          label="To"
          value={filters.subject}
          placeholder="job:17"
          onChange={(subject) => set({ subject })}
        />
      </FilterBar>
      <List
        query={audit}
        filtered={filtered}
        rows={(page) => page.entries}
        empty={
          <Empty title={count > 0 ? "No change is like that." : "Nobody has changed anything."}>
            What is done here, by the API or by the command line is written down with its reason.
          </Empty>
        }
      >
        {(entries) => (
          <Table
            label="Changes"
            isStacked
            rows={entries}
            rowId={(entry) => entry.id}
            columns={COLUMNS}
          />
        )}
      </List>
    </Page>
  );
}

function Subject({ subject }: { readonly subject: string | null }) {
  const job = /^job:(\d+)$/.exec(subject ?? "")?.[1];
  return job ? (
    <Link to="/jobs/$jobId" params={{ jobId: job }}>
      {subject}
    </Link>
  ) : (
    <bdi className="mono">{subject}</bdi>
  );
}
