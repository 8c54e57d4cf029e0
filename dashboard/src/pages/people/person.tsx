/** One account: its profile where there are profiles, its sign-ins, and what operators may do. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answers, reading } from "../../api/client.ts";
import { ActButton, useAct } from "../../parts/actions.tsx";
import { Tag } from "../../parts/badge.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useDashboard } from "../../session/dashboard.ts";
import { personRoute } from "./index.ts";
import { endingSignIn, refusing, reinstating, suspending, verifying } from "./person-actions.ts";
import { UserState } from "./user-state.tsx";

type Account = Answers["AccountView"];
type SignIn = Answers["SignInView"];
type Detail = Answers["UserDetail"];

export function PersonPage() {
  const { userId } = personRoute.useParams();
  const params = { path: { user_id: userId } };
  const account = useQuery(
    reading("/admin/users/{user_id}", { params }, { areas: ["user"], everySeconds: 60 }),
  );
  return <Loaded query={account}>{(found) => <Shown account={found.account} />}</Loaded>;
}

function Shown({ account }: { readonly account: Account }) {
  const act = useAct();
  const hasProfiles = useDashboard().capabilities.includes("people");
  const hasReports = useDashboard().capabilities.includes("safety");
  return (
    <Page
      title={account.phoneNumber ?? account.id}
      about={
        <span className="row">
          <UserState status={account.status} />
          <span className="mono">{account.id}</span>
          <Copy text={account.id} what="user's id" />
        </span>
      }
      actions={
        account.suspendedAt ? (
          <ActButton tone="primary" onClick={() => act(reinstating(account.id))}>
            Reinstate
          </ActButton>
        ) : (
          <ActButton tone="danger" onClick={() => act(suspending(account.id))}>
            Suspend
          </ActButton>
        )
      }
    >
      {hasProfiles && <Profile userId={account.id} />}
      <Panel title="Account">
        <Facts
          facts={[
            ["Signed up", <Time key="created" at={account.createdAt} as="full" />],
            ["Last here", <Time key="active" at={account.lastActiveAt} as="full" />],
            [
              "Suspended",
              account.suspendedAt && (
                <span key="suspended">
                  <Time at={account.suspendedAt} as="full" />
                  {account.suspendedUntil ? (
                    <>
                      , until <Time at={account.suspendedUntil} as="full" />
                    </>
                  ) : (
                    ", for ever"
                  )}
                </span>
              ),
            ],
            [
              "Deleted",
              account.deletedAt && <Time key="deleted" at={account.deletedAt} as="full" />,
            ],
            [
              "Reports",
              hasReports && (
                <Link key="reports" to="/moderation" search={{ userId: account.id }}>
                  about this person
                </Link>
              ),
            ],
          ]}
        />
      </Panel>
      <SignIns userId={account.id} />
    </Page>
  );
}

function Profile({ userId }: { readonly userId: string }) {
  const params = { path: { user_id: userId } };
  const person = useQuery(
    reading("/admin/people/{user_id}", { params }, { areas: ["user"], everySeconds: 60 }),
  );
  return (
    <Panel title="Profile">
      <Loaded query={person} lines={4}>
        {(detail) => <ProfileFacts detail={detail} />}
      </Loaded>
    </Panel>
  );
}

function ProfileFacts({ detail }: { readonly detail: Detail }) {
  const act = useAct();
  const { user } = detail;
  const place = user.location;
  return (
    <>
      <Facts
        facts={[
          ["Name", user.displayName && <bdi key="name">{user.displayName}</bdi>],
          ["About", user.bio && <bdi key="bio">{user.bio}</bdi>],
          ["Age", user.age],
          ["Gender", user.gender?.replaceAll("_", " ")],
          ["Seeks", user.seeking.map((one) => one.replaceAll("_", " ")).join(", ")],
          [
            "Place",
            place && (
              <bdi key="place">{[place.city, place.country].filter(Boolean).join(", ")}</bdi>
            ),
          ],
          ["Zone", user.timezone],
          [
            "Onboarding",
            <span key="onboarding" className="row">
              {user.onboardingStatus.replaceAll("_", " ")}
              {!user.matching && <Tag>not to be matched</Tag>}
            </span>,
          ],
          [
            "Verified",
            detail.verifiedAt ? (
              <Time key="verified" at={detail.verifiedAt} as="full" />
            ) : (
              `no, after ${detail.verificationFailures} tries that failed`
            ),
          ],
          ["Answers", detail.answers],
          ["Photos", user.photos.length],
          ["Blocks", `${detail.blocksMade} made, ${detail.blockedBy} got`],
          ["Reports", `${detail.reportsMade} made, ${detail.reported} got`],
        ]}
      />
      {detail.waitsForReview && (
        <p className="panel-body row">
          The verification waits for a person.
          <ActButton className="button-small" onClick={() => act(verifying(user.id))}>
            Verify
          </ActButton>
          <ActButton className="button-small" onClick={() => act(refusing(user.id))}>
            Refuse
          </ActButton>
        </p>
      )}
    </>
  );
}

function SignIns({ userId }: { readonly userId: string }) {
  const act = useAct();
  const params = { path: { user_id: userId } };
  const signIns = useQuery(
    reading("/admin/users/{user_id}/sessions", { params }, { areas: ["user"], everySeconds: 60 }),
  );
  const columns: readonly Column<SignIn>[] = [
    { title: "Since", cell: (one) => <Time at={one.createdAt} /> },
    { title: "Last used", cell: (one) => <Time at={one.lastUsedAt} /> },
    { title: "Ends", isMinor: true, cell: (one) => <Time at={one.expiresAt} /> },
    {
      title: "Actions",
      isTitleHidden: true,
      align: "end",
      cell: (one) => (
        <ActButton className="button-small" onClick={() => act(endingSignIn(userId, one.id))}>
          Sign out
        </ActButton>
      ),
    },
  ];
  return (
    <Panel title="Sign-ins" aside="At most five">
      <Loaded query={signIns} lines={2}>
        {(page) =>
          page.sessions.length === 0 ? (
            <Empty title="Signed in nowhere." />
          ) : (
            <Table
              label="Sign-ins"
              rows={page.sessions}
              rowId={(one) => one.id}
              columns={columns}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
