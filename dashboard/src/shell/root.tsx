/** Who is here decides what is shown: the sign-in form, or the shell with a page in it. */

import { QueryClientProvider, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Announcer } from "../parts/announce.tsx";
import { Loading, ProblemBox } from "../parts/states.tsx";
import { createQueries } from "../queries.ts";
import { DashboardContext, whoIsHere } from "../session/dashboard.ts";
import { signedIn, useSession } from "../session/session.ts";
import { SignInAgain, SignInPage } from "../session/sign-in.tsx";
import { Shell } from "./shell.tsx";

export function Root() {
  const session = useSession();
  const queries = useQueryClient();
  const dashboard = useQuery({
    ...whoIsHere,
    enabled: session === "unknown" || session === "signed-in",
  });
  const { data, error, refetch } = dashboard;
  useEffect(() => {
    if (data && session === "unknown") {
      signedIn();
    }
  }, [data, session]);
  const before = useRef(session);
  useEffect(() => {
    const was = before.current;
    before.current = session;
    if (session === "signed-in" && was === "signed-out") {
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
          <Theirs key={`${data.caller.role}:${data.caller.name}`}>
            <Shell />
          </Theirs>
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

/**
 * What was answered to somebody is theirs alone: whoever signs in after them begins with nothing.
 * Who signs in again finds the page as it was, and everything is asked anew.
 */
function Theirs({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  const [queries] = useState(createQueries);
  const before = useRef(session);
  useEffect(() => {
    if (session === "signed-in" && before.current === "ended") {
      void queries.invalidateQueries();
    }
    before.current = session;
  }, [queries, session]);
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}
