/** A user's sets, why each offer is in them, why there is none, and why somebody else is not. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, keeping, reading } from "../../api/client.ts";
import { State, Tag, type Tone } from "../../parts/badge.tsx";
import { Copy } from "../../parts/copy.tsx";
import { FilterBar, FilterText, Pager, useFilters } from "../../parts/filter-bar.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { userRoute } from "./index.ts";
import { points } from "./offers.tsx";
import { reasonOf, whyOf } from "./words.ts";
import { otherDay } from "./zones.ts";
import "./offers.css";

type OfferSet = Answers["SetView"];
type Offer = Answers["OfferView"];
type Pair = Answers["PairExplained"];

const SETS = 14;
const IS_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function UserPage() {
  const { userId } = userRoute.useParams();
  const { filters, set } = useFilters(userRoute);
  const { until, candidate } = filters;
  const isId = IS_ID.test(userId);
  const sets = useQuery(
    keeping(
      reading(
        "/admin/offers/users/{user_id}",
        { params: { path: { user_id: userId }, query: { limit: SETS, ...(until && { until }) } } },
        { areas: ["match"], everySeconds: 30, enabled: isId },
      ),
    ),
  );
  if (!isId) {
    return (
      <Page title="No such user">
        <Empty title="A user's id is a UUID.">
          <Link to="/offers">Look for another.</Link>
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title="A user's sets"
      about={
        <span className="row">
          <bdi className="mono">{userId}</bdi>
          <Copy text={userId} what="user's id" />
        </span>
      }
    >
      <Explain userId={userId} />
      <Loaded query={sets}>
        {(found) => (
          <>
            {found.absent && (
              <p className="absent">
                A round that began now would be without them: {reasonOf(found.absent)}.
              </p>
            )}
            {found.sets.length === 0 ? (
              <Empty title="There is no set.">
                {found.absent
                  ? null
                  : "The next round has them in it: their first set comes at their next nine o'clock."}
              </Empty>
            ) : (
              <div className="panel">
                {found.sets.map((one) => (
                  <SetStory key={one.id} set={one} candidate={candidate} />
                ))}
              </div>
            )}
            <Pager
              next={found.sets.length === SETS ? otherDay(found.sets.at(-1)?.day ?? "", -1) : null}
              isFirst={until === undefined}
              shown={found.sets.length}
              onGo={(next) => set({ until: next as string | undefined })}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function SetStory({
  set,
  candidate,
}: {
  readonly set: OfferSet;
  readonly candidate: string | undefined;
}) {
  return (
    <section className="set" aria-label={`${set.type} of ${set.day}`}>
      <div className="row set-head">
        <h2>{set.day}</h2>
        <State name={set.status} tone={set.status === "completed" ? "good" : "off"} />
        {set.type === "weekly_anchor" && <Tag>the week's anchor</Tag>}
        <span className="soft">
          {set.zone}, due <Time at={set.dueAt} />, made <Time at={set.madeAt} />
        </span>
        {set.selection && (
          <span className="faint">
            {set.selection} {set.score}, questions {set.questionVersion}
          </span>
        )}
      </div>
      {set.reason && <p>No offer: {reasonOf(set.reason)}.</p>}
      {set.removed.length > 0 && (
        <p className="soft">
          Left out at nine, though the round had chosen them:{" "}
          {set.removed.map((id) => (
            <bdi key={id} className="mono">
              {id}{" "}
            </bdi>
          ))}
        </p>
      )}
      {set.offers.length > 0 && (
        <Table
          label={`Offers of ${set.day}`}
          rows={set.offers}
          rowId={(offer) => offer.id}
          columns={offerColumns(set.day, candidate)}
        />
      )}
    </section>
  );
}

const OFFER_TONES: Record<Offer["status"], Tone> = {
  offered: "wait",
  accepted: "busy",
  matched: "good",
  passed: "off",
  not_now: "off",
  expired: "off",
  closed: "off",
};

function offerColumns(day: string, chosen: string | undefined): readonly Column<Offer>[] {
  return [
    {
      title: "Candidate",
      cell: (offer) => (
        <Link
          to="/offers/users/$userId"
          params={{ userId: offer.candidateId }}
          className="mono"
          title={offer.candidateId}
        >
          {offer.candidateId.slice(0, 13)}…
        </Link>
      ),
    },
    { title: "Score", align: "end", cell: (offer) => offer.score },
    {
      title: "Why",
      cell: (offer) => (
        <>
          {offer.why.replaceAll("_", " ")} <span className="soft">{whyOf(offer.why)}</span>
        </>
      ),
    },
    {
      title: "Themes",
      isMinor: true,
      cell: (offer) => (
        <span className="row">
          {offer.themes.map((theme) => (
            <Tag key={theme}>{theme}</Tag>
          ))}
        </span>
      ),
    },
    {
      title: "Status",
      cell: (offer) => <State name={offer.status} tone={OFFER_TONES[offer.status]} />,
    },
    {
      title: "Expires",
      isMinor: true,
      cell: (offer) => <Time at={offer.expiresAt} />,
    },
    {
      title: "Explain",
      isTitleHidden: true,
      align: "end",
      cell: (offer) => (
        <Link
          from="/offers/users/$userId"
          search={(before) => ({ ...before, candidate: offer.candidateId, date: day })}
          aria-label={`Explain ${offer.candidateId}`}
          {...(chosen === offer.candidateId ? { "aria-current": "true" as const } : {})}
        >
          Explain
        </Link>
      ),
    },
  ];
}

// --- a pair --------------------------------------------------------------------------------------

function Explain({ userId }: { readonly userId: string }) {
  const { filters, set } = useFilters(userRoute);
  const { candidate, date } = filters;
  const isId = candidate !== undefined && IS_ID.test(candidate);
  const pair = useQuery(
    reading(
      "/admin/offers/explain",
      { params: { query: { user: userId, candidate: candidate ?? "", ...(date && { date }) } } },
      { everySeconds: 300, enabled: isId },
    ),
  );
  return (
    <Panel
      title="Why somebody was offered, or not"
      aside={
        candidate && (
          <button
            type="button"
            className="button button-small"
            onClick={() => set({ candidate: undefined, date: undefined })}
          >
            Close
          </button>
        )
      }
    >
      <div className="explain">
        <FilterBar label="Which pair">
          <FilterText
            label="Candidate"
            value={candidate}
            placeholder="The other user's id"
            isWide
            onChange={(next) => set({ candidate: next })}
          />
          <label className="field">
            <span>Date</span>
            <input
              type="date"
              value={date ?? ""}
              onChange={(event) => set({ date: event.target.value || undefined })}
            />
          </label>
        </FilterBar>
        {candidate && !isId && <p className="soft">A user's id is a UUID.</p>}
      </div>
      {isId && (
        <Loaded query={pair} lines={3}>
          {(found) => <PairStory pair={found} />}
        </Loaded>
      )}
    </Panel>
  );
}

function PairStory({ pair }: { readonly pair: Pair }) {
  return (
    <>
      <p className="verdict" role="status">
        {pair.verdict}
        {pair.refusedBy && <span className="soft"> {reasonOf(pair.refusedBy)}</span>}
      </p>
      <Facts
        facts={[
          ["Round of", pair.day],
          [
            "Score",
            pair.score == null
              ? null
              : `${points(pair.score)}, ${points(pair.needed ?? 0)} is needed`,
          ],
          [
            "Fit",
            pair.fit == null ? null : `${points(pair.fit)}, before few shared answers lower it`,
          ],
        ]}
      />
      <div className="sides">
        <Side title="What this user sees in the candidate" side={pair.sees} />
        <Side title="What the candidate sees in this user" side={pair.isSeen} />
        <Got title="What this user got" got={pair.got ?? []} chosen={pair.candidateId} />
        <Got title="What the candidate got" got={pair.otherGot ?? []} chosen={pair.userId} />
      </div>
    </>
  );
}

function Side({ title, side }: { readonly title: string; readonly side: Pair["sees"] }) {
  if (!side) {
    return null;
  }
  const share = side.possible > 0 ? side.reached / side.possible : 0;
  return (
    <div>
      <h3>{title}</h3>
      <p>
        {side.reached.toLocaleString("en")} of {side.possible.toLocaleString("en")} points
        {side.possible > 0 && ` (${Math.round(share * 100)} %)`}, over {side.shared} questions that
        both answered.
      </p>
      <p className="row">
        {side.themes.map((theme) => (
          <Tag key={theme}>{theme}</Tag>
        ))}
      </p>
    </div>
  );
}

function Got({
  title,
  got,
  chosen,
}: {
  readonly title: string;
  readonly got: readonly Answers["PickShown"][];
  readonly chosen: string;
}) {
  return (
    <div>
      <h3>{title}</h3>
      {got.length === 0 ? (
        <p className="soft">Nobody.</p>
      ) : (
        <ul>
          {got.map((pick) => (
            <li key={`${pick.kind} ${pick.candidateId}`} className="row">
              <Link
                to="/offers/users/$userId"
                params={{ userId: pick.candidateId }}
                className="mono"
                title={pick.candidateId}
              >
                {pick.candidateId.slice(0, 8)}…
              </Link>
              <span>{points(pick.score)}</span>
              <span className="soft">{pick.kind.replaceAll("_", " ")}</span>
              {pick.candidateId === chosen && <Tag>this one</Tag>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
