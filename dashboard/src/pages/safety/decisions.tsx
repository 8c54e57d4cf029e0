/** What an operator decides, and what each decision does: said before it is done. */

import { type Answers, post } from "../../api/client.ts";
import type { ActionRequest } from "../../parts/actions.tsx";
import { State, type Tone } from "../../parts/badge.tsx";

type Decision = Answers["Decision"];
type Report = Answers["ListedReport"];
type Appeal = Answers["Appeal"];

export const DECISIONS: Record<Decision, { readonly name: string; readonly what: string }> = {
  dismiss: { name: "Dismiss", what: "Nothing happens to anybody. The two are not offered again." },
  warn: { name: "Warn", what: "It is kept in the person's history, and they may appeal." },
  remove: {
    name: "Remove the content",
    what: "The text of what was reported goes; that there was something stays.",
  },
  suspend: {
    name: "Suspend",
    what: "At the next request, in every process: they may read their own profile, appeal, export and delete, and nothing else. Their offers pause.",
  },
  ban: {
    name: "Ban",
    what: "Suspended for ever; a hash of the phone number outlives the erasure of the account.",
  },
};

export function deciding(report: Report, decision: Decision): ActionRequest {
  const { name, what } = DECISIONS[decision];
  const isSuspension = decision === "suspend";
  return {
    title: name,
    what,
    confirm: name,
    isDangerous: decision === "ban" || isSuspension,
    fields: [
      ...(isSuspension
        ? [{ name: "days", label: "Days", kind: "number", initial: "7" } as const]
        : []),
      { name: "note", label: "Note for operators", kind: "long", isOptional: true } as const,
    ],
    run: async ({ key, values }) => {
      const body = {
        decision,
        note: values.note || null,
        ...(isSuspension && { days: Number(values.days) }),
      };
      const params = { path: { report_id: report.id } };
      await post("/admin/reports/{report_id}/decide", { params, body }, key);
      return `Decided: ${decision}.`;
    },
  };
}

export function noting(report: Report): ActionRequest {
  return {
    title: "Write a note",
    what: "Only operators see it.",
    confirm: "Keep it",
    fields: [{ name: "note", label: "Note", kind: "long" }],
    run: async ({ key, values }) => {
      const params = { path: { report_id: report.id } };
      const body = { note: values.note ?? "" };
      await post("/admin/reports/{report_id}/notes", { params, body }, key);
      return "The note is kept.";
    },
  };
}

export function decidingAppeal(appeal: Appeal, outcome: Answers["AppealOutcome"]): ActionRequest {
  const isOverturned = outcome === "overturned";
  return {
    title: isOverturned ? "Overturn the decision" : "Uphold the decision",
    what: isOverturned
      ? `What was decided (${appeal.decision}) is taken back: a suspension ends at once.`
      : `What was decided (${appeal.decision}) stays.`,
    confirm: isOverturned ? "Overturn" : "Uphold",
    fields: [{ name: "note", label: "Note for operators", kind: "long", isOptional: true }],
    run: async ({ key, values }) => {
      const params = { path: { appeal_id: appeal.id } };
      const body = { outcome, note: values.note || null };
      await post("/admin/appeals/{appeal_id}/decide", { params, body }, key);
      return `The decision was ${outcome}.`;
    },
  };
}

const SEVERITIES: Record<Answers["Severity"], Tone> = {
  critical: "bad",
  high: "wait",
  standard: "off",
};

export function SeverityBadge({ severity }: { readonly severity: Answers["Severity"] }) {
  return <State name={severity} tone={SEVERITIES[severity]} />;
}

const REPORT_TONES: Record<Answers["ReportStatus"], Tone> = {
  open: "wait",
  decided: "good",
  dismissed: "off",
};

export function ReportState({ status }: { readonly status: Answers["ReportStatus"] }) {
  return <State name={status} tone={REPORT_TONES[status]} />;
}
