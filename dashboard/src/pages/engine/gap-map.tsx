/** Expected against actual, by the hour around now; what is further away is added up at both ends. */

import { useQuery } from "@tanstack/react-query";
import { type Answers, reading } from "../../api/client.ts";
import { Panel } from "../../parts/page.tsx";
import { type HeatCell, HeatMap, heat } from "../../parts/pictures.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { serverNow } from "../../time/clock.ts";

type GapCell = Answers["GapCell"];

const HOUR_MS = 3_600_000;
const PAST = 12;
const AHEAD = 12;

/** Where in the picture an hour belongs: 0 is all before, the last is all after. */
export function columnOf(at: number, now: number): number {
  const hours = Math.floor(at / HOUR_MS) - Math.floor(now / HOUR_MS);
  return Math.max(0, Math.min(PAST + AHEAD + 1, hours + PAST + 1));
}

export function columnTitles(now: number, zone?: string): string[] {
  const hour = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    hour12: false,
    ...(zone ? { timeZone: zone } : {}),
  });
  const first = Math.floor(now / HOUR_MS) - PAST;
  const hours = Array.from({ length: PAST + AHEAD }, (_, at) =>
    hour.format((first + at) * HOUR_MS),
  );
  return ["before", ...hours, "after"];
}

export function mapRow(cells: readonly GapCell[], now: number): HeatCell[] {
  const sums = Array.from({ length: PAST + AHEAD + 2 }, () => ({
    expected: 0,
    there: 0,
    missing: 0,
    dead: 0,
  }));
  for (const cell of cells) {
    const sum = sums[columnOf(Date.parse(cell.at), now)];
    if (sum) {
      sum.expected += cell.expected;
      sum.there += cell.there;
      sum.missing += cell.missing;
      sum.dead += cell.dead;
    }
  }
  return sums.map(({ expected, there, missing, dead }) => {
    if (expected === 0) {
      return { tone: "none", label: "nothing expected" };
    }
    const label = `${there} of ${expected} there, ${missing} missing, ${dead} dead`;
    if (missing + dead > 0) {
      return { tone: "bad", text: `−${short(missing + dead)}`, label };
    }
    return { tone: heat(0.35 + Math.min(0.65, expected / 100)), text: short(expected), label };
  });
}

function short(count: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 0 }).format(
    count,
  );
}

export function GapMapPanel() {
  const map = useQuery(
    reading("/admin/gaps/map", { params: { query: { by: "hour" } } }, { everySeconds: 120 }),
  );
  return (
    <Panel
      title="Expected against actual"
      aside={`By the hour, ${PAST} back and ${AHEAD} ahead; the current one is in the middle`}
    >
      <div className="panel-body">
        <Loaded query={map} lines={3}>
          {({ expectations }) => {
            const shown = expectations.filter((one) => one.cells.length > 0);
            if (shown.length === 0) {
              return <Empty title="Nothing is expected around now." />;
            }
            const now = serverNow();
            return (
              <HeatMap
                label="What is there, of what was expected, by the hour"
                columns={columnTitles(now)}
                rows={shown.map((one) => ({
                  name: one.name,
                  title: <span className="mono">{one.name}</span>,
                  cells: mapRow(one.cells, now),
                }))}
              />
            );
          }}
        </Loaded>
      </div>
    </Panel>
  );
}
