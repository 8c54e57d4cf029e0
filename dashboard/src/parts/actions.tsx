/**
 * Everything that changes something goes this way: a dialog says first what will happen, takes the
 * reason where one is kept, calls, and tells how it went. Viewers have no buttons at all.
 *
 *     const act = useAct();
 *     <ActButton onClick={() => act({ title: "Retry job 17", what: "It runs …", confirm: "Retry",
 *       run: async ({ key }) => { await post(…, key); return "Job 17 is ready."; } })}>
 */

import { useQueryClient } from "@tanstack/react-query";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { useCaller } from "../session/dashboard.ts";
import { type AskingProps, asking, Question } from "./asking.tsx";
import { notify } from "./notices.tsx";

export interface ActionField {
  readonly name: string;
  readonly label: string;
  readonly kind?: "text" | "number" | "choice" | "check" | "long";
  readonly options?: readonly string[];
  readonly isOptional?: boolean;
  readonly initial?: string;
  readonly hint?: string;
}

export interface Said {
  readonly reason: string;
  /** The same however often it is sent, until it is refused: what it asks for is done once. */
  readonly key: string;
  /** By the names of `fields`; a checkbox that is set is "on". */
  readonly values: Readonly<Record<string, string>>;
}

export interface ActionRequest {
  readonly title: string;
  /** What will happen, before it does. */
  readonly what: ReactNode;
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** Kept in the audit. */
  readonly reason?: "required" | "optional";
  readonly fields?: readonly ActionField[];
  /** Answers what has happened, in words. */
  readonly run: (said: Said) => Promise<string>;
}

export const [ActProvider, useAct] = asking(ActionDialog);

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly tone?: "primary" | "danger";
};

/** A button that changes something: not there for viewers. */
export function ActButton({ tone, className, ...rest }: ButtonProps) {
  if (useCaller().role !== "operator") {
    return null;
  }
  const classes = ["button", tone && `button-${tone}`, className].filter(Boolean).join(" ");
  return <button type="button" className={classes} data-acts {...rest} />;
}

function ActionDialog({ request, onClose }: AskingProps<ActionRequest>) {
  const { title, what, confirm, isDangerous, reason, fields = [], run } = request;
  const queries = useQueryClient();
  const confirmed = async (values: Readonly<Record<string, string>>, key: string) => {
    try {
      notify(await run({ reason: values.reason ?? "", key, values }));
    } finally {
      void queries.invalidateQueries(); // also after a refusal: things are not as this page thought
    }
  };
  return (
    <Question
      title={title}
      confirm={confirm}
      isDangerous={isDangerous}
      reason={reason}
      onClose={onClose}
      onConfirm={confirmed}
    >
      <div className="action-what">{what}</div>
      {fields.map((field) => (
        <Field key={field.name} field={field} />
      ))}
    </Question>
  );
}

function Field({ field }: { readonly field: ActionField }) {
  const { name, label, kind = "text", options = [], isOptional, initial, hint } = field;
  const common = { name, required: !isOptional && kind !== "check" };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: one of those below is there
    <label className={kind === "check" ? "field field-check" : "field field-wide"}>
      <span>
        {label}
        {isOptional && kind !== "check" && " (optional)"}
      </span>
      {kind === "choice" && (
        <select {...common} defaultValue={initial}>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
      {kind === "long" && <textarea {...common} rows={4} maxLength={2000} defaultValue={initial} />}
      {kind === "check" && <input type="checkbox" {...common} />}
      {(kind === "text" || kind === "number") && (
        <input type={kind} {...common} defaultValue={initial} autoComplete="off" maxLength={2000} />
      )}
      {hint && <small className="faint">{hint}</small>}
    </label>
  );
}
