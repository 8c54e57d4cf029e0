/** Games, the newest first. */

import { reading } from "../../api/client.ts";
import { FilterBar, FilterChoice, useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { SESSION_STATES, sessionsRoute } from "./index.ts";
import { SESSION_COLUMNS, SubNav } from "./parts.tsx";

export function SessionsPage() {
  const filtered = useFilters(sessionsRoute);
  const { filters, set } = filtered;
  const { status } = filters;
  const sessions = usePages(
    reading(
      "/admin/sessions",
      { params: { query: { ...filters, limit: 50 } } },
      { areas: ["stake", "session"], everySeconds: 15 },
    ),
  );
  return (
    <Page title="Sessions" about="Games between two who staked the same, the newest first.">
      <SubNav />
      <FilterBar label="Which sessions">
        <FilterChoice
          label="Status"
          value={status}
          options={SESSION_STATES}
          onChange={(next) => set({ status: next })}
        />
      </FilterBar>
      <List
        query={sessions}
        filtered={filtered}
        rows={(page) => page.sessions}
        empty={
          <Empty
            title={status ? `None that was looked at is ${status}.` : "There is no session."}
          />
        }
      >
        {(rows) => (
          <Table
            label="Sessions"
            rows={rows}
            rowId={(session) => session.id}
            columns={SESSION_COLUMNS}
          />
        )}
      </List>
    </Page>
  );
}
