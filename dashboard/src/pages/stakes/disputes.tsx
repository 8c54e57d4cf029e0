/** What a person has to decide: a pot that is frozen, or money that the wrong one has. */

import { useQuery } from "@tanstack/react-query";
import { type Answers, post, reading } from "../../api/client.ts";
import { ActButton, type ActionRequest, useAct } from "../../parts/actions.tsx";
import { FilterBar, FilterChoice, useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Facts, Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { money } from "../ledger/money.ts";
import { Player } from "../ledger/player.tsx";
import { whatHappens, whom } from "./decisions.ts";
import { disputesRoute } from "./index.ts";
import { SessionLink, StakeState, SubNav } from "./parts.tsx";

type Dispute = Answers["Dispute"];
type Session = Answers["SessionShown"];

export function DisputesPage() {
  const filtered = useFilters(disputesRoute);
  const { filters, set } = filtered;
  const { status } = filters;
  const disputes = usePages(
    reading(
      "/admin/disputes",
      { params: { query: { ...filters, limit: 20 } } },
      { areas: ["session"], everySeconds: 30 },
    ),
  );
  return (
    <Page title="Disputes" about="A pot is frozen until somebody decides; the oldest first.">
      <SubNav />
      <FilterBar label="Which disputes">
        <FilterChoice
          label="Status"
          value={status}
          options={["resolved", "all"]}
          anyLabel="open"
          onChange={(next) => set({ status: next })}
        />
      </FilterBar>
      <List
        query={disputes}
        filtered={filtered}
        rows={(page) => page.disputes}
        empty={
          <Empty title={status ? "There is none." : "Nothing waits for a person."}>
            A dispute is opened by a player, or by a result that contradicts the one before.
          </Empty>
        }
      >
        {(rows) => (
          <div className="panel">
            <DisputeList disputes={rows} />
          </div>
        )}
      </List>
    </Page>
  );
}

export function DisputeList({ disputes }: { readonly disputes: readonly Dispute[] }) {
  return (
    <ul>
      {disputes.map((dispute) => (
        <li key={dispute.id}>
          <Listed dispute={dispute} />
        </li>
      ))}
    </ul>
  );
}

/** The session says who the two are, and what is in the pot. */
function Listed({ dispute }: { readonly dispute: Dispute }) {
  const found = useQuery(
    reading(
      "/admin/sessions/{session_id}",
      { params: { path: { session_id: dispute.sessionId } } },
      { areas: ["session"], everySeconds: 60 },
    ),
  );
  return (
    <Loaded query={found} lines={3}>
      {({ session }) => <DisputeCard dispute={dispute} session={session} />}
    </Loaded>
  );
}

interface CardProps {
  readonly dispute: Dispute;
  readonly session: Session;
}

export function DisputeCard({ dispute, session }: CardProps) {
  const act = useAct();
  const { reported } = dispute;
  return (
    <article className="dispute" aria-label={`Dispute ${dispute.id}`}>
      <div className="row">
        <StakeState name={dispute.status} />
        <span>
          dispute {dispute.id} about session <SessionLink id={dispute.sessionId} />
        </span>
        <strong className="nowrap">{money(2 * session.amount, session.currency)}</strong>
        <span className="soft">{dispute.frozen ? "in a frozen pot" : "paid out already"}</span>
      </div>
      <p className="dispute-reason" dir="auto">
        {dispute.reason}
      </p>
      <Facts
        facts={[
          ["Opened", <Time key="created" at={dispute.createdAt} as="full" />],
          ["By", dispute.openedBy ? <Player key="by" id={dispute.openedBy} /> : "the game server"],
          [
            "Reported",
            reported && (reported === "draw" ? "a draw" : `won by ${whom(reported, session)}`),
          ],
          [
            "Decide before",
            dispute.status === "open" && <Time key="deadline" at={dispute.deadline} as="full" />,
          ],
          [
            "Decided",
            dispute.resolvedAt && (
              <span key="resolved">
                {dispute.resolvedFor ? `for ${whom(dispute.resolvedFor, session)}` : "split"},{" "}
                <Time at={dispute.resolvedAt} as="full" />
              </span>
            ),
          ],
        ].map(([name, value]) => [name as string, value || null] as const)}
      />
      {dispute.status === "open" && (
        <div className="row">
          {session.players.map((player) => (
            <ActButton key={player} onClick={() => act(resolving(dispute, session, player))}>
              Decide for {whom(player, session)}
            </ActButton>
          ))}
          <ActButton onClick={() => act(resolving(dispute, session, null))}>Split</ActButton>
        </div>
      )}
    </article>
  );
}

function resolving(dispute: Dispute, session: Session, winner: string | null): ActionRequest {
  const how = winner === null ? "Split the pot" : `Decide for ${whom(winner, session)}`;
  return {
    title: `Dispute ${dispute.id}: ${how.toLowerCase()}`,
    what: (
      <>
        <p>{whatHappens(session, winner)}</p>
        <p>
          The session is settled, both are told, and it cannot be undone here. Your name and the
          reason are kept.
        </p>
      </>
    ),
    confirm: how,
    reason: "required",
    run: async ({ key, reason }) => {
      const body = { winnerId: winner, split: winner === null, reason };
      const params = { path: { dispute_id: dispute.id }, header: { "Idempotency-Key": key } };
      await post("/admin/disputes/{dispute_id}/resolve", { params, body }, key);
      return `Dispute ${dispute.id} is ${winner === null ? "split" : `decided for ${whom(winner, session)}`}.`;
    },
  };
}
