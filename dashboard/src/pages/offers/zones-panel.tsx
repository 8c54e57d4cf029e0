/** For the overview: where it is nine o'clock now, and how the day's sets are coming along. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../api/client.ts";
import { Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useNow } from "../../time/clock.ts";
import { newestRounds } from "./newest-rounds.ts";
import { movingDate, stateOf } from "./zones.ts";
import { ZonesPicture } from "./zones-picture.tsx";

export default function ZonesPanel() {
  const now = useNow();
  const rounds = useQuery(newestRounds());
  const day = movingDate(now, rounds.data?.rounds ?? []);
  const zones = useQuery(
    reading(
      "/admin/offers/zones",
      { params: { query: { date: day } } },
      { areas: ["match"], everySeconds: 60, enabled: !rounds.isPending },
    ),
  );
  return (
    <Panel
      title="Nine o'clock around the world"
      aside={
        <Link to="/offers" search={{ date: day }}>
          Offers of {day}
        </Link>
      }
    >
      <div className="panel-body">
        <Loaded query={zones} lines={4}>
          {(found) =>
            found.zones.length === 0 ? (
              <Empty title={`Nobody has a set due on ${day}.`} />
            ) : (
              <>
                <ZonesPicture day={day} zones={found.zones} />
                <p className="soft">
                  {found.zones.filter((zone) => stateOf(zone, now) !== "not yet").length} of{" "}
                  {found.zones.length} zones have had their nine o'clock;{" "}
                  {found.zones.reduce((sum, zone) => sum + zone.made, 0).toLocaleString("en")} of{" "}
                  {found.zones.reduce((sum, zone) => sum + zone.expected, 0).toLocaleString("en")}{" "}
                  sets are made.
                </p>
              </>
            )
          }
        </Loaded>
      </div>
    </Panel>
  );
}
