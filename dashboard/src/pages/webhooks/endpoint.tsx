/** One endpoint: what it gets, how it went, and what can be done. */

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { reading } from "../../api/client.ts";
import { ActButton, useAct } from "../../parts/actions.tsx";
import { Copy } from "../../parts/copy.tsx";
import { useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { Deliveries } from "./deliveries.tsx";
import {
  type Endpoint,
  pausingEndpoint,
  removing,
  replaying,
  resumingEndpoint,
  rotating,
  useSecret,
} from "./endpoint-actions.tsx";
import { endpointRoute } from "./index.ts";
import { ATTEMPTS } from "./schedule.ts";
import { EndpointState, EventTypes } from "./webhooks.tsx";

export function EndpointPage() {
  const { endpointId } = endpointRoute.useParams();
  const endpoints = useQuery(
    reading("/webhooks/endpoints", {}, { areas: ["webhook", "stats"], everySeconds: 30 }),
  );
  return (
    <Loaded query={endpoints}>
      {(page) => {
        const found = page.endpoints.find((one) => one.id === endpointId);
        return found ? (
          <Shown endpoint={found} />
        ) : (
          <Page title="Webhooks">
            <Empty title="There is no such endpoint.">It may have been removed.</Empty>
          </Page>
        );
      }}
    </Loaded>
  );
}

function Shown({ endpoint }: { readonly endpoint: Endpoint }) {
  const act = useAct();
  const secret = useSecret();
  const navigate = useNavigate();
  return (
    <Page
      title={endpoint.url}
      about={
        <span className="row">
          <EndpointState endpoint={endpoint} />
          <bdi>{endpoint.description}</bdi>
          <Copy text={endpoint.id} what="endpoint's id" />
        </span>
      }
      actions={
        <>
          {endpoint.state === "active" ? (
            <ActButton onClick={() => act(pausingEndpoint(endpoint))}>Pause</ActButton>
          ) : (
            <ActButton tone="primary" onClick={() => act(resumingEndpoint(endpoint))}>
              Resume
            </ActButton>
          )}
          <ActButton onClick={() => act(replaying(endpoint))}>Replay</ActButton>
          <ActButton onClick={() => act(rotating(endpoint, secret.show))}>Rotate secret</ActButton>
          <ActButton
            tone="danger"
            onClick={() => act(removing(endpoint, () => void navigate({ to: "/webhooks" })))}
          >
            Remove
          </ActButton>
        </>
      }
    >
      {secret.box}
      <Panel title="Facts">
        <Facts
          facts={[
            ["Gets", <EventTypes key="types" types={endpoint.types} />],
            ["Registered", <Time key="created" at={endpoint.createdAt} as="full" />],
            [
              "State",
              <span key="state">
                {endpoint.state} since <Time at={endpoint.stateSince} />
                {endpoint.reason && (
                  <>
                    : <bdi>{endpoint.reason}</bdi>
                  </>
                )}
              </span>,
            ],
            [
              "Failing since",
              endpoint.failingSince && <Time key="failing" at={endpoint.failingSince} as="full" />,
            ],
            ["Tried", `${ATTEMPTS.join(", ")} after the first attempt; then a dead letter`],
          ]}
        />
      </Panel>
      <Attempts endpoint={endpoint} />
    </Page>
  );
}

function Attempts({ endpoint }: { readonly endpoint: Endpoint }) {
  const filtered = useFilters(endpointRoute);
  const params = { path: { endpoint_id: endpoint.id }, query: { ...filtered.filters, limit: 50 } };
  const attempts = usePages(
    reading(
      "/webhooks/endpoints/{endpoint_id}/attempts",
      { params },
      { areas: ["webhook", "stats"], everySeconds: 20 },
    ),
  );
  return (
    <Panel title="Attempts" aside="Newest first">
      <List
        query={attempts}
        filtered={filtered}
        rows={(page) => page.attempts}
        empty={<Empty title="Nothing was sent there yet." />}
      >
        {(rows) => <Deliveries rows={rows} endpointOf={() => endpoint.id} />}
      </List>
    </Panel>
  );
}
