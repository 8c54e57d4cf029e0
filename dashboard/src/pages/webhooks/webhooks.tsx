/** All endpoints, and the newest attempts at all of them. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../api/client.ts";
import { ActButton, useAct } from "../../parts/actions.tsx";
import { State, Tag, type Tone } from "../../parts/badge.tsx";
import { FilterBar, FilterChoice, useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { Deliveries } from "./deliveries.tsx";
import { adding, type Endpoint, useSecret } from "./endpoint-actions.tsx";
import { OUTCOMES, webhooksRoute } from "./index.ts";

const ENDPOINT_TONES: Record<Endpoint["state"], Tone> = {
  active: "good",
  paused: "wait",
  disabled: "bad",
};

export function EndpointState({ endpoint }: { readonly endpoint: Endpoint }) {
  return <State name={endpoint.state} tone={ENDPOINT_TONES[endpoint.state]} />;
}

export function EventTypes({ types }: { readonly types: readonly string[] }) {
  if (types.length === 0) {
    return <span className="soft">all events</span>;
  }
  return (
    <span className="row">
      {types.map((type) => (
        <Tag key={type}>{type}</Tag>
      ))}
    </span>
  );
}

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    title: "Endpoint",
    className: "cell-key",
    cell: (one) => (
      <Link to="/webhooks/$endpointId" params={{ endpointId: one.id }} title={one.url}>
        <bdi>{one.url}</bdi>
      </Link>
    ),
  },
  { title: "State", cell: (one) => <EndpointState endpoint={one} /> },
  { title: "Gets", cell: (one) => <EventTypes types={one.types} /> },
  {
    title: "What for",
    isMinor: true,
    className: "cell-text",
    cell: (one) => (
      <span className="clip" dir="auto">
        {one.description}
      </span>
    ),
  },
  {
    title: "Failing since",
    cell: (one) =>
      one.failingSince ? (
        <strong className="bad">
          <Time at={one.failingSince} />
        </strong>
      ) : (
        <span className="faint">–</span>
      ),
  },
];

export function WebhooksPage() {
  const act = useAct();
  const secret = useSecret();
  const endpoints = useQuery(
    reading("/webhooks/endpoints", {}, { areas: ["webhook", "stats"], everySeconds: 30 }),
  );
  return (
    <Page
      title="Webhooks"
      about="Events that go to other people's endpoints, signed, at least once."
      actions={
        <ActButton tone="primary" onClick={() => act(adding(secret.show))}>
          Register an endpoint
        </ActButton>
      }
    >
      {secret.box}
      <Panel title="Endpoints">
        <Loaded query={endpoints} lines={3}>
          {(page) =>
            page.endpoints.length === 0 ? (
              <Empty title="Nobody is told of events yet.">
                Register an endpoint, here or with <code>handfast webhooks add URL</code>.
              </Empty>
            ) : (
              <Table
                label="Endpoints"
                rows={page.endpoints}
                rowId={(one) => one.id}
                columns={COLUMNS}
              />
            )
          }
        </Loaded>
      </Panel>
      <Log />
    </Page>
  );
}

function Log() {
  const filtered = useFilters(webhooksRoute);
  const { filters, set } = filtered;
  const query = { ...filters, limit: 50 };
  const attempts = usePages(
    reading(
      "/webhooks/attempts",
      { params: { query } },
      { areas: ["webhook", "stats"], everySeconds: 20 },
    ),
  );
  return (
    <Panel title="Attempts" aside="At all endpoints, newest first">
      <div className="panel-body">
        <FilterBar label="Which attempts">
          <FilterChoice
            label="Outcome"
            value={filters.outcome}
            options={OUTCOMES}
            onChange={(outcome) => set({ outcome })}
          />
        </FilterBar>
      </div>
      <List
        query={attempts}
        filtered={filtered}
        rows={(page) => page.attempts}
        empty={<Empty title={filters.outcome ? "None ended so." : "Nothing was sent yet."} />}
      >
        {(rows) => <Deliveries rows={rows} endpointOf={(one) => one.endpointId} />}
      </List>
    </Panel>
  );
}
