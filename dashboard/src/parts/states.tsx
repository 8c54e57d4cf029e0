/** Nothing yet, nothing at all, and what went wrong: each says what can be done. */

import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { asProblem, type Problem } from "../api/problem.ts";
import { Copy } from "./copy.tsx";
import { Icon } from "./icons.tsx";

export function Loading({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div className="loading" role="status">
      <span className="hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are all alike
        <span key={line} className="loading-line" aria-hidden="true" />
      ))}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  /** Why that may be, or what to do. */
  readonly children?: ReactNode;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <div className="empty-more">{children}</div>}
    </div>
  );
}

export function ProblemBox({
  problem,
  onRetry,
}: {
  readonly problem: Problem;
  readonly onRetry?: () => void;
}) {
  return (
    <div className="problem" role="alert">
      <p className="problem-title">
        <Icon name="alert" />
        {problem.title}
      </p>
      <p>{problem.detail}</p>
      {problem.hint && <p className="problem-hint">{problem.hint}</p>}
      {(onRetry || problem.requestId) && (
        <p className="problem-foot">
          {onRetry && (
            <button type="button" className="button" onClick={onRetry}>
              Try again
            </button>
          )}
          {problem.requestId && (
            <span className="faint">
              Request <code>{problem.requestId}</code>
              <Copy text={problem.requestId} what="request id" />
            </span>
          )}
        </p>
      )}
    </div>
  );
}

/**
 * What a query has, or why not. What was there before stays while it is asked again, and also when
 * the server has gone: an old list with a word about it is worth more than none.
 */
export function Loaded<T>({
  query,
  children,
  lines,
}: {
  readonly query: UseQueryResult<T, Problem>;
  readonly children: (data: T) => ReactNode;
  readonly lines?: number;
}) {
  const { data, error, refetch } = query;
  const problem = error && <ProblemBox problem={asProblem(error)} onRetry={() => void refetch()} />;
  if (data === undefined) {
    return problem ?? <Loading {...(lines === undefined ? {} : { lines })} />;
  }
  return (
    <>
      {problem}
      {children(data)}
    </>
  );
}
