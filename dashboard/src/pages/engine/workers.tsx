/** Who works, on which lanes; and what is paused, by whom and why. */

import { useQuery } from "@tanstack/react-query";
import { type Answers, post, reading } from "../../api/client.ts";
import { ActButton, type ActionRequest, useAct } from "../../parts/actions.tsx";
import { State, Tag, type Tone } from "../../parts/badge.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

type Worker = Answers["WorkerView"];
type Pause = Answers["Pause"];

const TONES: Record<Worker["state"], Tone> = {
  idle: "good",
  busy: "busy",
  lost: "bad",
  ended: "off",
};

const WORKERS: readonly Column<Worker>[] = [
  {
    title: "Worker",
    cell: (worker) => (
      <>
        <span className="mono">{worker.name}</span> <span className="faint">{worker.id}</span>
      </>
    ),
  },
  {
    title: "State",
    cell: (worker) => <State name={worker.state} tone={TONES[worker.state]} />,
  },
  {
    title: "Lanes",
    cell: (worker) => (
      <span className="row">
        {worker.lanes.map((lane) => (
          <Tag key={lane}>{lane}</Tag>
        ))}
      </span>
    ),
  },
  { title: "Running", align: "end", cell: (worker) => worker.running.toLocaleString("en") },
  { title: "Last heard", cell: (worker) => <Time at={worker.beatAt} /> },
  { title: "Since", isMinor: true, cell: (worker) => <Time at={worker.startedAt} /> },
  { title: "Ended", isMinor: true, cell: (worker) => <Time at={worker.endedAt} /> },
];

export function WorkersPage() {
  const workers = useQuery(reading("/admin/workers", {}, { areas: ["stats"], everySeconds: 15 }));
  return (
    <Page title="Workers" about="Those that work, and those that ended within the hour.">
      <Pauses />
      <Loaded query={workers}>
        {(data) =>
          data.workers.length === 0 ? (
            <Empty title="Nobody works here.">
              Jobs wait until somebody does. Start one with <code>handfast worker</code>, or all of
              it in one process with <code>handfast up</code>.
            </Empty>
          ) : (
            <Crews workers={data.workers} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Those of now, and folded away those that have ended. */
function Crews({ workers }: { readonly workers: readonly Worker[] }) {
  const ended = workers.filter((worker) => worker.state === "ended");
  const working = workers.filter((worker) => worker.state !== "ended");
  return (
    <>
      {working.length === 0 ? (
        <Empty title="Nobody works now.">All that did have ended: see below.</Empty>
      ) : (
        <Table
          label="Workers"
          rows={working}
          rowId={(worker) => worker.id}
          columns={WORKERS.filter((column) => column.title !== "Ended")}
        />
      )}
      {ended.length > 0 && (
        <details className="fold">
          <summary>{ended.length.toLocaleString("en")} ended within the hour</summary>
          <Table
            label="Ended workers"
            rows={ended}
            rowId={(worker) => worker.id}
            columns={WORKERS}
          />
        </details>
      )}
    </>
  );
}

function Pauses() {
  const act = useAct();
  const pauses = useQuery(reading("/admin/pauses", {}, { areas: ["pause"], everySeconds: 15 }));
  const columns: readonly Column<Pause>[] = [
    {
      title: "Paused",
      cell: (pause) => (
        <>
          <Tag>{pause.what}</Tag> <span className="mono">{pause.name}</span>
        </>
      ),
    },
    { title: "Since", cell: (pause) => <Time at={pause.pausedAt} /> },
    { title: "By", cell: (pause) => <bdi>{pause.pausedBy}</bdi> },
    { title: "Why", className: "cell-text", cell: (pause) => <bdi>{pause.reason}</bdi> },
    {
      title: "Actions",
      isTitleHidden: true,
      align: "end",
      cell: (pause) => (
        <ActButton className="button-small" onClick={() => act(resuming(pause.what, pause.name))}>
          Resume
        </ActButton>
      ),
    },
  ];
  return (
    <Panel
      title="Pauses"
      aside={
        <ActButton className="button-small" onClick={() => act(pausing())}>
          Pause a lane or kind
        </ActButton>
      }
    >
      <Loaded query={pauses} lines={1}>
        {(data) =>
          data.pauses.length === 0 ? (
            <Empty title="Nothing is paused." />
          ) : (
            <Table
              label="Pauses"
              rows={data.pauses}
              rowId={(pause) => `${pause.what}:${pause.name}`}
              columns={columns}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Asks what to pause, unless that is known. */
export function pausing(what?: Answers["Pausable"], name?: string): ActionRequest {
  const isKnown = what !== undefined && name !== undefined;
  return {
    title: isKnown ? `Pause the ${what} ${name}` : "Pause a lane or kind",
    what:
      what === "schedule"
        ? "It fires no more until it is resumed, whatever is restarted. What it has started goes on."
        : "Nothing of it begins from now on; what runs goes on. It holds until it is resumed, whatever is restarted.",
    confirm: "Pause",
    reason: "required",
    fields: isKnown
      ? []
      : [
          { name: "what", label: "What", kind: "choice", options: ["lane", "kind"] },
          { name: "name", label: "Its name" },
        ],
    run: async ({ reason, key, values }) => {
      const paused = {
        what: what ?? (values.what as Answers["Pausable"]),
        name: name ?? values.name ?? "",
      };
      const done = await post("/admin/pauses", { body: { ...paused, reason } }, key);
      return done.changed
        ? `The ${paused.what} ${paused.name} is paused.`
        : `The ${paused.what} ${paused.name} was paused already; nothing was changed.`;
    },
  };
}

export function resuming(what: Answers["Pausable"], name: string): ActionRequest {
  return {
    title: `Resume the ${what} ${name}`,
    what:
      what === "schedule"
        ? "It fires again at its next tick."
        : "What waits is begun at once, as far as there are workers for it.",
    confirm: "Resume",
    fields:
      what === "schedule"
        ? [{ name: "catchUp", label: "Also make up for the ticks of the pause", kind: "check" }]
        : [],
    run: async ({ key, values }) => {
      const body = { what, name, catchUp: values.catchUp === "on" };
      const done = await post("/admin/pauses/resume", { body }, key);
      return done.changed ? `The ${what} ${name} goes on.` : `The ${what} ${name} was not paused.`;
    },
  };
}
