/** What operators do with an account; each says first what will happen. */

import { type Answers, post, remove } from "../../api/client.ts";
import type { ActionRequest } from "../../parts/actions.tsx";

const of = (userId: string) => ({ path: { user_id: userId } });

export function suspending(userId: string): ActionRequest {
  return {
    title: "Suspend",
    what: "At the next request, in every process: they may read their own profile, appeal, export and delete, and nothing else. Their offers pause and come back.",
    confirm: "Suspend",
    isDangerous: true,
    reason: "required",
    fields: [
      { name: "days", label: "Days", kind: "number", isOptional: true, hint: "none is for ever" },
    ],
    run: async ({ key, reason, values }) => {
      const body = { reason, days: values.days ? Number(values.days) : null };
      await post("/admin/users/{user_id}/suspend", { params: of(userId), body }, key);
      return "The account is suspended.";
    },
  };
}

export function reinstating(userId: string): ActionRequest {
  return {
    title: "Reinstate",
    what: "The suspension ends at once; paused offers come back.",
    confirm: "Reinstate",
    reason: "required",
    run: async ({ key, reason }) => {
      const body = { reason };
      await post("/admin/users/{user_id}/reinstate", { params: of(userId), body }, key);
      return "The account is active again.";
    },
  };
}

export function verifying(userId: string): ActionRequest {
  return {
    title: "Verify this person",
    what: "They are verified and may be matched; birth date and gender are fixed from then on.",
    confirm: "Verify",
    reason: "optional",
    run: async ({ key, reason }) => {
      const body = { decision: "verified" as const, reason: reason || null };
      await post("/admin/people/{user_id}/verification", { params: of(userId), body }, key);
      return "The person is verified.";
    },
  };
}

const FAILURES = [
  "liveness_failed",
  "age_verification_failed",
  "quality_too_low",
  "policy_violation",
] as const satisfies readonly Answers["VerificationDecision"]["decision"][];

export function refusing(userId: string): ActionRequest {
  return {
    title: "Refuse the verification",
    what: "The try counts as failed, and they are told why; after three nobody can try again.",
    confirm: "Refuse",
    isDangerous: true,
    reason: "optional",
    fields: [{ name: "decision", label: "Why", kind: "choice", options: FAILURES }],
    run: async ({ key, reason, values }) => {
      const decision = FAILURES.find((one) => one === values.decision) ?? FAILURES[0];
      const body = { decision, reason: reason || null };
      await post("/admin/people/{user_id}/verification", { params: of(userId), body }, key);
      return "The try has failed.";
    },
  };
}

export function endingSignIn(userId: string, signInId: string): ActionRequest {
  return {
    title: "End this sign-in",
    what: "The device is signed out at its next request.",
    confirm: "Sign out",
    run: async ({ key }) => {
      const params = { path: { user_id: userId, sign_in_id: signInId } };
      await remove("/admin/users/{user_id}/sessions/{sign_in_id}", { params }, key);
      return "The device is signed out.";
    },
  };
}
