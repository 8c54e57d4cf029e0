/** Dead letters: jobs that wait for a person. */

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Answers, reading } from "../../api/client.ts";
import { ActButton, useAct } from "../../parts/actions.tsx";
import { Tag } from "../../parts/badge.tsx";
import { useBulk } from "../../parts/bulk.tsx";
import { FilterBar, FilterText, useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { deadRoute } from "./index.ts";
import { discarding, requeuing } from "./job-actions.ts";
import { useKinds, useLanes } from "./known.ts";

type Letter = Answers["DeadLetter"];

const COLUMNS: readonly Column<Letter>[] = [
  {
    title: "Key",
    className: "cell-key",
    cell: (letter) => (
      <Link to="/jobs/$jobId" params={{ jobId: String(letter.id) }} title={letter.key}>
        <bdi>{letter.key}</bdi>
      </Link>
    ),
  },
  { title: "Kind", cell: (letter) => <span className="mono">{letter.kind}</span> },
  { title: "Class", cell: (letter) => <Tag>{letter.errorClass}</Tag> },
  {
    title: "Error",
    className: "cell-text",
    cell: (letter) => (
      <span className="clip" dir="auto">
        {letter.error}
      </span>
    ),
  },
  { title: "Lane", isMinor: true, cell: (letter) => letter.lane },
  { title: "Attempts", isMinor: true, align: "end", cell: (letter) => letter.attempt },
  { title: "Died", cell: (letter) => <Time at={letter.diedAt} /> },
];

export function DeadPage() {
  const filtered = useFilters(deadRoute);
  const { filters, set, count } = filtered;
  const { after: _, ...narrowed } = filters;
  const act = useAct();
  const bulk = useBulk();
  const kinds = useKinds();
  const lanes = useLanes();
  const [chosen, choose] = useState<ReadonlySet<number>>(new Set());
  const query = { ...filters, limit: 50 };
  const dead = usePages(
    reading("/admin/dead", { params: { query } }, { areas: ["job", "bulk"], everySeconds: 20 }),
  );
  const letters = dead.data?.letters ?? [];
  const selected = letters.filter((letter) => chosen.has(letter.id));
  return (
    <Page
      title="Dead letters"
      about="Jobs that failed for good and wait for a person: put them back, or let them go with a reason."
      actions={
        <>
          <ActButton
            tone="primary"
            onClick={() =>
              bulk({
                action: "requeue",
                filter: narrowed,
                things: "dead letters",
                what: "The same jobs are put back and run as soon as workers are free.",
              })
            }
          >
            Requeue all that match
          </ActButton>
          <ActButton
            tone="danger"
            onClick={() =>
              bulk({
                action: "discard",
                filter: narrowed,
                things: "dead letters",
                what: "They leave the list and stay dead.",
              })
            }
          >
            Discard all that match
          </ActButton>
        </>
      }
    >
      <FilterBar label="Which dead letters" filtered={filtered}>
        <FilterText
          label="In the error, or beginning the key"
          value={filters.text}
          onChange={(text) => set({ text })}
          isWide
        />
        <FilterText
          label="Kind"
          value={filters.kind}
          options={kinds}
          onChange={(kind) => set({ kind })}
        />
        <FilterText
          label="Lane"
          value={filters.lane}
          options={lanes}
          onChange={(lane) => set({ lane })}
        />
        <FilterText
          label="Error class"
          value={filters.errorClass}
          options={ERROR_CLASSES}
          onChange={(errorClass) => set({ errorClass })}
        />
      </FilterBar>
      <List
        query={dead}
        filtered={filtered}
        rows={(page) => page.letters}
        empty={
          <Empty title={count > 0 ? "No dead letter is like that." : "There are none."}>
            {count > 0
              ? "Fewer filters find more."
              : "Jobs that fail for good come here, and wait for you."}
          </Empty>
        }
      >
        {(shown) => (
          <>
            <Table
              label="Dead letters"
              rows={shown}
              rowId={(letter) => letter.id}
              rowName={(letter) => letter.key}
              columns={COLUMNS}
              selection={{ chosen, change: choose }}
              keys={[
                {
                  key: "r",
                  does: "Requeue the row, or all that are selected",
                  run: (letter) => act(requeuing(selected.length > 0 ? selected : [letter])),
                },
                {
                  key: "c",
                  does: "Discard the row, or all that are selected",
                  run: (letter) => act(discarding(selected.length > 0 ? selected : [letter])),
                },
              ]}
            />
            {selected.length > 0 && (
              <div className="selection-bar">
                <strong>{selected.length} selected</strong>
                <ActButton onClick={() => act(requeuing(selected))}>Requeue</ActButton>
                <ActButton tone="danger" onClick={() => act(discarding(selected))}>
                  Discard
                </ActButton>
                <button type="button" className="button" onClick={() => choose(new Set())}>
                  Select none
                </button>
              </div>
            )}
          </>
        )}
      </List>
    </Page>
  );
}

const ERROR_CLASSES = ["transient", "timeout", "lost", "logic", "data", "payload", "batch"];
