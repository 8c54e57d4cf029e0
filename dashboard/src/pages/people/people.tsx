/** Find somebody. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { FilterBar, FilterChoice, FilterText, useFilters } from "../../parts/filter-bar.tsx";
import { List, usePages } from "../../parts/list.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useDashboard } from "../../session/dashboard.ts";
import { peopleRoute, USER_STATES } from "./index.ts";
import { UserState } from "./user-state.tsx";

type Found = Answers["FoundUser"];
type Account = Answers["AccountView"];

export function PeoplePage() {
  const hasProfiles = useDashboard().capabilities.includes("people");
  return (
    <Page title="People" about="Accounts by phone, with their profiles; for operators alone.">
      {hasProfiles ? <Profiles /> : <Accounts />}
    </Page>
  );
}

const COLUMNS: readonly Column<Found>[] = [
  {
    title: "Name",
    cell: (user) => (
      <Link to="/people/$userId" params={{ userId: user.id }}>
        <bdi>{user.displayName ?? "no name yet"}</bdi>
      </Link>
    ),
  },
  { title: "Status", cell: (user) => <UserState status={user.status} /> },
  {
    title: "Onboarding",
    isMinor: true,
    cell: (user) => user.onboardingStatus.replaceAll("_", " "),
  },
  {
    title: "Phone",
    isMinor: true,
    cell: (user) => <span className="mono">{user.phoneNumber}</span>,
  },
  { title: "Signed up", isMinor: true, cell: (user) => <Time at={user.createdAt} /> },
  { title: "Last here", cell: (user) => <Time at={user.lastActiveAt} /> },
];

function Profiles() {
  const filtered = useFilters(peopleRoute);
  const { filters, set, count } = filtered;
  const query = { ...filters, limit: 50 };
  const people = usePages(
    reading("/admin/people", { params: { query } }, { areas: ["user"], everySeconds: 60 }),
  );
  return (
    <>
      <FilterBar label="Whom to find" filtered={filtered}>
        <FilterText
          label="Phone"
          value={filters.phone}
          placeholder="+49…"
          onChange={(phone) => set({ phone })}
        />
        <FilterText
          label="Name begins with"
          value={filters.name}
          onChange={(name) => set({ name })}
        />
        <FilterChoice
          label="Status"
          value={filters.status}
          options={USER_STATES}
          onChange={(status) => set({ status })}
        />
      </FilterBar>
      <Panel title="People">
        <List
          query={people}
          filtered={filtered}
          rows={(page) => page.users}
          empty={<Empty title={count > 0 ? "Nobody is like that." : "Nobody has signed up yet."} />}
        >
          {(rows) => (
            <Table label="People" rows={rows} rowId={(user) => user.id} columns={COLUMNS} />
          )}
        </List>
      </Panel>
    </>
  );
}

const ACCOUNT_COLUMNS: readonly Column<Account>[] = [
  {
    title: "Account",
    cell: (account) => (
      <Link to="/people/$userId" params={{ userId: account.id }} className="mono">
        {account.id}
      </Link>
    ),
  },
  { title: "Status", cell: (account) => <UserState status={account.status} /> },
  { title: "Phone", cell: (account) => <span className="mono">{account.phoneNumber}</span> },
  { title: "Last here", cell: (account) => <Time at={account.lastActiveAt} /> },
];

/** Where nobody has a profile: accounts alone, by their whole phone number. */
function Accounts() {
  const { filters, set } = useFilters(peopleRoute);
  const phone = filters.phone ?? "";
  const accounts = useQuery(
    reading(
      "/admin/users",
      { params: { query: { phone } } },
      { areas: ["user"], enabled: phone !== "" },
    ),
  );
  return (
    <>
      <FilterBar label="Whom to find">
        <FilterText
          label="Phone"
          value={filters.phone}
          placeholder="+49…"
          onChange={(next) => set({ phone: next })}
          isWide
        />
      </FilterBar>
      <Panel title="Accounts">
        {phone === "" ? (
          <Empty title="Say whom you look for." />
        ) : (
          <Loaded query={accounts}>
            {(found) =>
              found.users.length === 0 ? (
                <Empty title="Nobody has this number." />
              ) : (
                <Table
                  label="Accounts"
                  rows={found.users}
                  rowId={(one) => one.id}
                  columns={ACCOUNT_COLUMNS}
                />
              )
            }
          </Loaded>
        )}
      </Panel>
    </>
  );
}
