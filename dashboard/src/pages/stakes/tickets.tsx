/** Tickets: the newest, those of one status, one player's, or those in line at one stake. */

import { useQuery } from "@tanstack/react-query";
import { reading } from "../../api/client.ts";
import { FilterBar, FilterChoice, FilterText, useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { TICKET_STATES, ticketsRoute } from "./index.ts";
import { SubNav, TICKET_COLUMNS } from "./parts.tsx";

export function TicketsPage() {
  const filtered = useFilters(ticketsRoute);
  const { filters, set } = filtered;
  const { player, amount, status } = filters;
  const queues = useQuery(reading("/admin/stakes/queues", {}, { everySeconds: 60 }));
  const tickets = usePages(
    reading(
      "/admin/stakes",
      { params: { query: { ...filters, limit: 50 } } },
      { areas: ["stake"], everySeconds: 15 },
    ),
  );
  const offered = (queues.data?.offered ?? []).map(String);
  return (
    <Page title="Tickets" about="Every stake is one. The newest first; in line, the first in line.">
      <SubNav />
      <FilterBar label="Which tickets" filtered={filtered}>
        <FilterText
          label="Player"
          value={player}
          placeholder="The player's id, whole"
          isWide
          onChange={(next) => set({ player: next, amount: undefined })}
        />
        <FilterChoice
          label="Status"
          value={status}
          options={TICKET_STATES}
          onChange={(next) => set({ status: next, amount: undefined })}
        />
        <FilterChoice
          label="In line at"
          value={amount === undefined ? undefined : String(amount)}
          options={amount === undefined ? offered : [...new Set([...offered, String(amount)])]}
          anyLabel="any, or none"
          onChange={(next) =>
            set({ amount: next ? Number(next) : undefined, player: undefined, status: undefined })
          }
        />
      </FilterBar>
      <List
        query={tickets}
        filtered={filtered}
        rows={(page) => page.tickets}
        empty={
          <Empty title={noneOf(filters)}>
            {player && "That is no player's id, or there is none of theirs."}
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Tickets"
            rows={rows}
            rowId={(ticket) => ticket.id}
            columns={TICKET_COLUMNS}
          />
        )}
      </List>
    </Page>
  );
}

function noneOf({
  amount,
  status,
}: {
  readonly amount?: number;
  readonly status?: string;
}): string {
  if (amount !== undefined) {
    return "Nobody is in line at this stake.";
  }
  return status ? `None that was looked at is ${status}.` : "There is no ticket.";
}
