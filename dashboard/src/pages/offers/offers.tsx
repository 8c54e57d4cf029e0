/** A date around the world, and the rounds that chose who is offered to whom. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Fragment } from "react";
import { type Answers, reading } from "../../api/client.ts";
import { State, type Tone } from "../../parts/badge.tsx";
import { Pager, useFilters } from "../../parts/filter-bar.tsx";
import { Figure, Page, Panel } from "../../parts/page.tsx";
import { Bar } from "../../parts/pictures.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useCaller } from "../../session/dashboard.ts";
import { useNow } from "../../time/clock.ts";
import { percent } from "../../time/format.ts";
import { offersRoute } from "./index.ts";
import { newestRounds } from "./newest-rounds.ts";
import { movingDate, otherDay, stateOf, type Zone, type ZoneState } from "./zones.ts";
import { ZonesLegend, ZonesPicture } from "./zones-picture.tsx";
import "./offers.css";

type Round = Answers["RoundView"];

const ROUNDS = 14;

export function OffersPage() {
  const isOperator = useCaller().role === "operator";
  return (
    <Page
      title="Offers"
      about="Everybody's set is due at nine in the morning, in their own zone."
      actions={isOperator ? <FindUser /> : null}
    >
      <Day />
      <Rounds />
    </Page>
  );
}

const UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

function FindUser() {
  const navigate = useNavigate();
  return (
    <form
      className="find"
      onSubmit={(event) => {
        event.preventDefault();
        const said = String(new FormData(event.currentTarget).get("user")).trim();
        void navigate({ to: "/offers/users/$userId", params: { userId: said.toLowerCase() } });
      }}
    >
      <label className="field">
        <span>A user's sets</span>
        <input
          name="user"
          required
          pattern={`\\s*${UUID}\\s*`}
          title="A user's id, such as 6f1c0e1a-9d2b-4c8e-8f0a-2b7d5e4c3a10"
          placeholder="The user's id"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <button type="submit" className="button">
        Look
      </button>
    </form>
  );
}

// --- a date --------------------------------------------------------------------------------------

function Day() {
  const now = useNow();
  const { filters, set } = useFilters(offersRoute);
  const rounds = useQuery(newestRounds());
  const today = movingDate(now, rounds.data?.rounds ?? []);
  const day = filters.date ?? today;
  const zones = useQuery({
    ...reading(
      "/admin/offers/zones",
      { params: { query: { date: day } } },
      { areas: ["match"], everySeconds: 30, enabled: !rounds.isPending },
    ),
    placeholderData: keepPreviousData,
  });
  const go = (next: string) => set({ date: next === today ? undefined : next });
  return (
    <Panel
      title={`Nine o'clock on ${day}`}
      aside={
        <span className="row">
          <button
            type="button"
            className="button button-small"
            onClick={() => go(otherDay(day, -1))}
          >
            Day before
          </button>
          <label className="day">
            <span className="hidden">Date</span>
            <input
              type="date"
              value={day}
              onChange={(event) => event.target.value && go(event.target.value)}
            />
          </label>
          <button
            type="button"
            className="button button-small"
            onClick={() => go(otherDay(day, 1))}
          >
            Day after
          </button>
        </span>
      }
    >
      <Loaded query={zones} lines={6}>
        {(found) =>
          found.zones.length === 0 ? (
            <Empty title={`No set is due on ${day}.`}>
              Dates are known from a few days ahead on, for zones in which somebody is; days long
              past are kept in the sets of each user.
            </Empty>
          ) : (
            <>
              <DayFigures zones={found.zones} now={now} />
              <div className="panel-body">
                <ZonesPicture day={day} zones={found.zones} />
                <ZonesLegend />
              </div>
              <Table
                label="Zones, by when it is nine"
                rows={found.zones}
                rowId={(zone) => zone.zone}
                columns={zoneColumns(now)}
              />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

function DayFigures({ zones, now }: { readonly zones: readonly Zone[]; readonly now: number }) {
  const sum = (read: (zone: Zone) => number) =>
    zones.reduce((total, zone) => total + read(zone), 0);
  const expected = sum((zone) => zone.expected);
  const made = sum((zone) => zone.made);
  const skipped = sum((zone) => zone.skipped);
  return (
    <dl className="figures figures-inside">
      <Figure
        label="Zones"
        value={zones.length}
        note={`${zones.filter((zone) => stateOf(zone, now) !== "not yet").length} have had their nine`}
      />
      <Figure label="Expected" value={expected.toLocaleString("en")} note="sets" />
      <Figure
        label="Made"
        value={made.toLocaleString("en")}
        note={expected > 0 ? percent(made / expected) : ""}
      />
      <Figure
        label="Without an offer"
        value={sum((zone) => zone.empty).toLocaleString("en")}
        note="of those made"
      />
      <Figure
        label="Skipped"
        value={skipped.toLocaleString("en")}
        note="their day was over"
        {...(skipped > 0 ? { tone: "bad" as const } : {})}
      />
      <Figure
        label="Offers"
        value={sum((zone) => zone.offers).toLocaleString("en")}
        note={made > 0 ? `${(sum((zone) => zone.offers) / made).toFixed(2)} in a set` : ""}
      />
    </dl>
  );
}

const ZONE_TONES: Record<ZoneState, Tone> = {
  "not yet": "off",
  "being made": "busy",
  done: "good",
  closed: "good",
};

/** May be broken behind a slash: some are longer than a phone has room for. */
function ZoneName({ zone }: { readonly zone: string }) {
  return (
    <bdi className="mono">
      {zone.split("/").map((part, place) => (
        <Fragment key={part}>
          {place > 0 && "/"}
          {place > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  );
}

function zoneColumns(now: number): readonly Column<Zone>[] {
  return [
    { title: "Zone", cell: (zone) => <ZoneName zone={zone.zone} /> },
    { title: "Nine there", cell: (zone) => <Time at={zone.dueAt} /> },
    {
      title: "State",
      cell: (zone) => {
        const state = stateOf(zone, now);
        return <State name={state} tone={ZONE_TONES[state]} />;
      },
    },
    {
      title: "How far",
      isTitleHidden: true,
      isMinor: true,
      className: "zone-bar",
      cell: (zone) => (
        <Bar
          whole={Math.max(1, zone.expected)}
          parts={[
            { name: "with offers", value: zone.made - zone.empty, fill: "accent" },
            { name: "without an offer", value: zone.empty, fill: "wait" },
            { name: "skipped", value: zone.skipped, fill: "bad" },
          ]}
        />
      ),
    },
    { title: "Expected", align: "end", cell: (zone) => zone.expected.toLocaleString("en") },
    { title: "Made", align: "end", cell: (zone) => zone.made.toLocaleString("en") },
    {
      title: "Empty",
      align: "end",
      isMinor: true,
      cell: (zone) => zone.empty.toLocaleString("en"),
    },
    {
      title: "Skipped",
      align: "end",
      cell: (zone) => (
        <span className={zone.skipped > 0 ? "bad" : "faint"}>
          {zone.skipped.toLocaleString("en")}
        </span>
      ),
    },
    {
      title: "Offers",
      align: "end",
      isMinor: true,
      cell: (zone) => zone.offers.toLocaleString("en"),
    },
  ];
}

// --- rounds --------------------------------------------------------------------------------------

/** Ten-thousandths as points out of a hundred: 7125 is `71.3`. */
export function points(tenThousandths: number): string {
  return (tenThousandths / 100).toFixed(1);
}

const ROUND_COLUMNS: readonly Column<Round>[] = [
  { title: "Date", className: "nowrap", cell: (round) => round.day },
  {
    title: "Selection",
    isMinor: true,
    cell: (round) => (
      <>
        {round.selection} <span className="faint">{round.score}</span>
      </>
    ),
  },
  { title: "People", align: "end", cell: (round) => round.people.toLocaleString("en") },
  { title: "Offers", align: "end", cell: (round) => round.figures?.offers.toLocaleString("en") },
  {
    title: "Mutual",
    align: "end",
    className: "nowrap",
    cell: (round) => round.figures && percent(round.figures.mutualShare / 10_000),
  },
  {
    title: "Gini",
    align: "end",
    isMinor: true,
    cell: (round) => round.figures && (round.figures.exposureGini / 10_000).toFixed(2),
  },
  {
    title: "Never shown",
    align: "end",
    isMinor: true,
    cell: (round) => round.figures?.neverShown.toLocaleString("en"),
  },
  {
    title: "Without offers",
    align: "end",
    isMinor: true,
    cell: (round) => round.figures?.withoutOffers.toLocaleString("en"),
  },
  {
    title: "Mean score",
    align: "end",
    isMinor: true,
    className: "nowrap",
    cell: (round) =>
      round.figures && (
        <>
          {points(round.figures.meanScore)}{" "}
          <span className="soft">of {points(round.figures.topMeanScore)}</span>
        </>
      ),
  },
  {
    title: "Chosen",
    isMinor: true,
    cell: (round) =>
      round.chosenAt ? <Time at={round.chosenAt} /> : <State name="under way" tone="busy" />,
  },
];

function Rounds() {
  const { filters, set } = useFilters(offersRoute);
  const { before } = filters;
  const rounds = useQuery({
    ...reading(
      "/admin/offers/rounds",
      { params: { query: { limit: ROUNDS, ...(before && { before }) } } },
      { areas: ["match"], everySeconds: 60 },
    ),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel
      title="Rounds"
      aside="Mean score: of what was offered, of what each one's own best would have been"
    >
      <Loaded query={rounds} lines={4}>
        {(found) =>
          found.rounds.length === 0 ? (
            <Empty title="There is no round.">
              One is made for each date, an hour before its first nine o'clock.
            </Empty>
          ) : (
            <>
              <Table
                label="Rounds"
                rows={found.rounds}
                rowId={(round) => round.day}
                columns={ROUND_COLUMNS}
              />
              <p className="panel-body soft round-words">
                Mutual: both are shown each other. Gini: 0 if everybody is shown as often as
                everybody else, towards 1 if a few have everything. Never shown: had room, and are
                offered to nobody.
              </p>
              <Pager
                next={found.rounds.length === ROUNDS ? (found.rounds.at(-1)?.day ?? null) : null}
                isFirst={before === undefined}
                shown={found.rounds.length}
                onGo={(next) => set({ before: next as string | undefined })}
              />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
