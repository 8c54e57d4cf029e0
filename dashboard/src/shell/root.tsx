/** Who is here decides what is shown: the sign-in form, or the shell with a page in it. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { reading } from "../api/client.ts";
import { Announcer } from "../parts/announce.tsx";
import { Loading, ProblemBox } from "../parts/states.tsx";
import { DashboardContext } from "../session/dashboard.ts";
import { signedIn, useSession } from "../session/session.ts";
import { SignInAgain, SignInPage } from "../session/sign-in.tsx";
import { Shell } from "./shell.tsx";

export function Root() {
  const session = useSession();
  const queries = useQueryClient();
  const dashboard = useQuery({
    ...reading("/admin/dashboard", {}, { everySeconds: 300 }),
    enabled: session === "unknown" || session === "signed-in",
  });
  const { data, error, refetch } = dashboard;
  useEffect(() => {
    if (data && session === "unknown") {
      signedIn();
    }
  }, [data, session]);
  // Signed in again: everything is asked anew. As somebody else, nothing of before is shown.
  const before = useRef(session);
  useEffect(() => {
    const was = before.current;
    before.current = session;
    if (session === "signed-in" && was === "ended") {
      void queries.invalidateQueries();
    } else if (session === "signed-in" && was === "signed-out") {
      void queries.resetQueries();
    } else if (session === "signed-out") {
      queries.clear();
    }
  }, [queries, session]);

  const isOut = session === "signed-out";
  return (
    <>
      <Announcer />
      {isOut && <SignInPage />}
      {!isOut && data && (
        <DashboardContext value={data}>
          <Shell key={`${data.caller.role}:${data.caller.name}`} />
          {session === "ended" && <SignInAgain />}
        </DashboardContext>
      )}
      {!isOut && !data && (
        <main className="alone">
          {error ? (
            <ProblemBox problem={error} onRetry={() => void refetch()} />
          ) : (
            <Loading lines={3} />
          )}
        </main>
      )}
    </>
  );
}
