/**
 * One action on all that match, however many: counted first, given a reason, begun after half a
 * minute in which it can be undone, and followed at the edge of the page.
 */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type Answers, post, reading } from "../api/client.ts";
import { asProblem, type Problem } from "../api/problem.ts";
import { useCaller } from "../session/dashboard.ts";
import { useNow } from "../time/clock.ts";
import { atLeast } from "../time/format.ts";
import { type AskingProps, asking, Question } from "./asking.tsx";
import { State } from "./badge.tsx";
import { Icon } from "./icons.tsx";
import { notify } from "./notices.tsx";
import { Loading, ProblemBox } from "./states.tsx";

export interface BulkRequest {
  readonly action: Answers["BulkAction"];
  readonly filter: Answers["BulkFilter"];
  /** What they are, in the plural: "dead letters". */
  readonly things: string;
  /** What will happen to each of them. */
  readonly what: ReactNode;
}

export const [BulkProvider, useBulk] = asking(BulkDialog);

const TITLES: Record<Answers["BulkAction"], string> = {
  retry: "Retry",
  cancel: "Cancel",
  requeue: "Requeue",
  discard: "Discard",
  revive: "Run again",
  repair: "Repair",
};

function BulkDialog({ request, onClose }: AskingProps<BulkRequest>) {
  const { action, filter, things, what } = request;
  const queries = useQueryClient();
  const preview = useQuery({
    ...reading("/admin/bulk/preview", { params: { query: { action, ...said(filter) } } }),
    staleTime: 0,
    refetchInterval: false,
  });
  const narrowed = Object.entries(said(filter));
  const confirmed = async ({ reason = "" }: Readonly<Record<string, string>>, key: string) => {
    const everything = narrowed.length === 0;
    const body = { action, reason, filter: said(filter), everything };
    const made = await post("/admin/bulk", { body }, key);
    notify(`${TITLES[action]} begins in 30 seconds: ${count(made)} ${things}.`);
    void queries.invalidateQueries({ queryKey: [BULK_PATH] });
  };
  const matched = preview.data;
  return (
    <Question
      title={`${TITLES[action]} all that match`}
      confirm={`${TITLES[action]} ${matched ? count(matched) : ""}`}
      isDangerous={action === "discard" || action === "cancel"}
      isReady={matched !== undefined && matched.matched > 0}
      reason="required"
      onClose={onClose}
      onConfirm={confirmed}
    >
      {preview.error && <ProblemBox problem={preview.error} />}
      {!matched && !preview.error && <Loading lines={2} />}
      {matched && (
        <p className="bulk-count">
          <strong>{count(matched)}</strong> {things} match
          {matched.atLeast && <span className="faint"> (counting stopped there)</span>}
        </p>
      )}
      {narrowed.length > 0 ? (
        <ul className="chips" aria-label="Only those with">
          {narrowed.map(([name, value]) => (
            <li key={name} className="chip">
              {name} <bdi>{String(value)}</bdi>
            </li>
          ))}
        </ul>
      ) : (
        <label className="field field-check">
          <span>Nothing narrows this down: I mean all {things} there are.</span>
          <input type="checkbox" required />
        </label>
      )}
      <div className="action-what">
        {what} It begins in 30 seconds and can be undone until then.
      </div>
    </Question>
  );
}

function count({ matched, atLeast: capped }: { matched: number; atLeast: boolean }): string {
  return atLeast(matched, capped);
}

function said(filter: Answers["BulkFilter"]): Answers["BulkFilter"] {
  return Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined && value !== null),
  );
}

// --- what is under way ---------------------------------------------------------------------------

const BULK_PATH = "/admin/bulk";
const SHOWN_AFTER_MS = 60_000;
const ACTIVE: readonly string[] = ["waiting", "running"];

export function isActive({ state }: Answers["BulkView"]): boolean {
  return ACTIVE.includes(state);
}

export function BulkTray() {
  const [dismissed, dismiss] = useState<ReadonlySet<number>>(new Set());
  const now = useNow();
  const { data } = useQuery({
    ...reading(BULK_PATH, { params: { query: { limit: 3 } } }, { areas: ["bulk"] }),
    refetchInterval: ({ state }) => (state.data?.actions.some(isActive) ? 1_000 : 30_000),
  });
  const shown = (data?.actions ?? []).filter(
    (one) =>
      !dismissed.has(one.id) && (isActive(one) || now - Date.parse(one.undoUntil) < SHOWN_AFTER_MS),
  );
  return (
    <>
      {shown.map((one) => (
        <BulkCard
          key={one.id}
          bulk={one}
          now={now}
          onDismiss={() => dismiss(new Set([...dismissed, one.id]))}
        />
      ))}
    </>
  );
}

interface BulkCardProps {
  readonly bulk: Answers["BulkView"];
  readonly now: number;
  readonly onDismiss: () => void;
}

function BulkCard({ bulk, now, onDismiss }: BulkCardProps) {
  const queries = useQueryClient();
  const isOperator = useCaller().role === "operator";
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const left = Math.max(0, Math.ceil((Date.parse(bulk.undoUntil) - now) / 1000));
  const done = bulk.changed + bulk.passed;
  const undo = async () => {
    setBusy(true);
    try {
      await post("/admin/bulk/{bulk_id}/undo", {
        params: { path: { bulk_id: bulk.id } },
      });
      notify(`Undone: nothing was changed.`);
    } catch (error) {
      setProblem(asProblem(error)); // too late, usually: it has begun
    }
    setBusy(false);
    void queries.invalidateQueries({ queryKey: [BULK_PATH] });
  };
  return (
    <section className="bulk-card" aria-label={`Bulk action ${bulk.id}`}>
      <header>
        <strong>{TITLES[bulk.action]} all that match</strong>
        <State name={bulk.state} />
        {!isActive(bulk) && (
          <button type="button" className="icon-button" aria-label="Dismiss" onClick={onDismiss}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <progress
        aria-label="How many are done"
        max={Math.max(1, bulk.matched)}
        value={bulk.state === "done" ? Math.max(1, bulk.matched) : done}
      />
      <p>
        {bulk.state === "waiting"
          ? `${count(bulk)} in ${left} s, asked by ${bulk.askedBy}`
          : `${bulk.changed.toLocaleString("en")} changed, ${bulk.passed.toLocaleString("en")} passed over, of ${count(bulk)}`}
      </p>
      {problem && <ProblemBox problem={problem} />}
      <footer>
        {bulk.state === "waiting" && isOperator && (
          <button
            type="button"
            className="button"
            data-acts
            disabled={isBusy}
            onClick={() => void undo()}
          >
            <Icon name="undo" />
            Undo
          </button>
        )}
        {bulk.jobId !== null && (
          <Link to="/jobs/$jobId" params={{ jobId: String(bulk.jobId) }}>
            Its job
          </Link>
        )}
      </footer>
    </section>
  );
}
