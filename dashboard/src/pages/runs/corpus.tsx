/** The versions of the corpus, and what the guardian said of each. */

import { useQuery } from "@tanstack/react-query";
import { type Answers, reading } from "../../api/client.ts";
import { State, type Tone } from "../../parts/badge.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

type Version = Answers["CorpusVersionShown"];
type Check = Answers["Check"];

const TONES: Record<Version["state"], Tone> = {
  building: "busy",
  built: "wait",
  refused: "bad",
  current: "good",
  previous: "off",
  retired: "off",
};

export function CorpusPage() {
  const versions = useQuery(
    reading("/admin/corpus/versions", {}, { areas: ["corpus"], everySeconds: 30 }),
  );
  return (
    <Page
      title="Corpus"
      about="What match runs read. A version is built beside the current one, and readers are switched when the guardian has passed it."
    >
      <Loaded query={versions}>
        {(page) =>
          page.versions.length === 0 ? (
            <Empty title="There is no corpus yet.">
              <code>handfast corpus load</code> takes startups and investors from files,{" "}
              <code>handfast corpus rebuild</code> scores them.
            </Empty>
          ) : (
            page.versions.map((version) => <Shown key={version.version} version={version} />)
          )
        }
      </Loaded>
    </Page>
  );
}

const CHECKS: readonly Column<Check>[] = [
  { title: "Check", cell: (check) => check.name },
  {
    title: "Verdict",
    cell: (check) =>
      check.passed === null ? (
        <State name="not asked" tone="off" />
      ) : check.passed ? (
        <State name="passed" tone="good" />
      ) : (
        <State name="refused" tone="bad" />
      ),
  },
  { title: "Figure", align: "end", cell: (check) => figure(check.figure) },
  { title: "Bound", align: "end", isMinor: true, cell: (check) => figure(check.bound) },
  {
    title: "Says",
    className: "cell-text",
    cell: (check) => <bdi>{check.says}</bdi>,
  },
];

export function figure(value: number | null): string {
  return value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 3 });
}

function Shown({ version }: { readonly version: Version }) {
  const { verdict } = version;
  return (
    <Panel
      title={`Version ${version.version}`}
      aside={<State name={version.state} tone={TONES[version.state]} />}
    >
      <Facts
        facts={[
          ["From", version.source],
          ["Startups", version.startups?.toLocaleString("en")],
          ["Investors", version.investors?.toLocaleString("en")],
          ["Matches", version.matches?.toLocaleString("en")],
          ["Made", <Time key="made" at={version.madeAt} as="full" />],
          [
            "Readers since",
            version.switchedAt && <Time key="switched" at={version.switchedAt} as="full" />,
          ],
          ["Until", version.leftAt && <Time key="left" at={version.leftAt} as="full" />],
          ["Guardian", verdict?.summary && <bdi key="summary">{verdict.summary}</bdi>],
          ["Rolled back", verdict?.rolledBack && <bdi key="back">{verdict.rolledBack}</bdi>],
        ]}
      />
      {verdict?.checks && verdict.checks.length > 0 && (
        <Table
          label={`Checks of version ${version.version}`}
          rows={verdict.checks}
          rowId={(check) => check.name}
          columns={CHECKS}
        />
      )}
    </Panel>
  );
}
