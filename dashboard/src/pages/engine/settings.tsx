/** With what it runs. Secrets are masked by the server, and for viewers everything is. */

import { useQuery } from "@tanstack/react-query";
import { type Answers, reading } from "../../api/client.ts";
import { Tag } from "../../parts/badge.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useDashboard } from "../../session/dashboard.ts";
import { bytes } from "../../time/format.ts";

type Setting = Answers["SettingShown"];

const COLUMNS: readonly Column<Setting>[] = [
  { title: "Variable", cell: (one) => <span className="mono">{one.name}</span> },
  {
    title: "Value",
    className: "cell-key",
    cell: (one) =>
      one.value === null ? (
        <span className="faint">not set</span>
      ) : (
        <bdi className="mono clip">{one.value}</bdi>
      ),
  },
  {
    title: "From",
    cell: (one) =>
      one.source === "environment" ? (
        <Tag>environment</Tag>
      ) : (
        <span className="faint">{one.source}</span>
      ),
  },
  {
    title: "What it is for",
    className: "cell-text",
    isMinor: true,
    cell: (one) => (
      <>
        {one.about}
        <br />
        <span className="faint">{one.allowed}</span>
      </>
    ),
  },
];

/** Those that somebody has set, then the others in their own order. */
function changedFirst(settings: readonly Setting[]): readonly Setting[] {
  const isSet = (one: Setting) => one.source === "environment";
  return [...settings.filter(isSet), ...settings.filter((one) => !isSet(one))];
}

export function SettingsPage() {
  const system = useQuery(reading("/admin/system", {}, { everySeconds: 300 }));
  const settings = useQuery(reading("/admin/settings", {}, { everySeconds: 300 }));
  const { capabilities } = useDashboard();
  return (
    <Page
      title="Settings"
      about="Of the process that answers, as handfast config shows them. They are changed in its environment, and count from its next start."
    >
      <Panel title="System">
        <Loaded query={system} lines={3}>
          {(data) => (
            <Facts
              facts={[
                ["Version", data.version],
                ["Mode", data.mode],
                ["Database", `${data.database}${data.embedded ? ", embedded" : ""}`],
                ["PostgreSQL", data.serverVersion],
                ["Size", bytes(data.databaseBytes)],
                ["Migrations", `${data.migrationsApplied} applied`],
                ["Pending", data.migrationsPending.join(", ")],
                ["Switched on", capabilities.join(", ")],
              ]}
            />
          )}
        </Loaded>
      </Panel>
      <Loaded query={settings}>
        {(data) => (
          <Table
            label="Settings"
            isStacked
            rows={changedFirst(data.settings)}
            rowId={(one) => one.name}
            columns={COLUMNS}
          />
        )}
      </Loaded>
    </Page>
  );
}
