import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { asProblem } from "../api/problem.ts";
import { Page } from "../parts/page.tsx";
import { Empty, ProblemBox } from "../parts/states.tsx";

export function NotFound() {
  return (
    <Page title="No such page">
      <Empty title="There is nothing at this address.">
        It may belong to a capability that is switched off here.{" "}
        <Link to="/overview">Go to the overview</Link>, or press <kbd>Ctrl K</kbd>.
      </Empty>
    </Page>
  );
}

export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Page title="This page failed">
      <ProblemBox
        problem={asProblem(error)}
        onRetry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </Page>
  );
}
