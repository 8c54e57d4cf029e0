/** What can be done with jobs, each with the words that say so first. */

import { type Answers, post } from "../../api/client.ts";
import type { ActionRequest } from "../../parts/actions.tsx";

type JobState = Answers["JobState"];

interface Named {
  readonly id: number;
  readonly key: string;
}

export function canRetry(state: string): boolean {
  return state === "scheduled" || state === "dead";
}

export function canCancel(state: string): boolean {
  return ["scheduled", "ready", "running", "blocked"].includes(state);
}

export function retrying(job: Named & { readonly state: string }): ActionRequest {
  const isDead = job.state === "dead";
  return {
    title: isDead ? `Requeue ${job.key}` : `Run ${job.key} now`,
    what: isDead
      ? "The same job is put back and runs as soon as a worker is free. What it did before stays in its story."
      : "It does not wait for its time any longer, and runs as soon as a worker is free.",
    confirm: isDead ? "Requeue" : "Run now",
    run: async ({ key }) => {
      const params = { path: { job_id: job.id } };
      const done = await post("/admin/jobs/{job_id}/retry", { params }, key);
      return `${job.key} is ${done.state}.`;
    },
  };
}

export function canRevive(state: string): boolean {
  return ["succeeded", "cancelled", "skipped"].includes(state);
}

export function reviving(job: Named & { readonly state: string }): ActionRequest {
  return {
    title: `Run ${job.key} again`,
    what: `It is ${job.state}, and runs once more under its own identity, as soon as a worker is free. What waits for it is not run again.`,
    confirm: "Run again",
    run: async ({ key }) => {
      const params = { path: { job_id: job.id } };
      const done = await post("/admin/jobs/{job_id}/revive", { params }, key);
      return `${job.key} is ${done.state}.`;
    },
  };
}

export function cancelling(job: Named & { readonly state: string }): ActionRequest {
  return {
    title: `Cancel ${job.key}`,
    what:
      job.state === "running"
        ? "It is told to stop, and does so at its worker's next heartbeat. What waits for it does not run either."
        : "It will not run. What waits for it does not run either.",
    confirm: "Cancel the job",
    isDangerous: true,
    reason: "required",
    run: async ({ reason, key }) => {
      const params = { path: { job_id: job.id }, query: { reason } };
      const done = await post("/admin/jobs/{job_id}/cancel", { params }, key);
      return done.state === ("running" satisfies JobState)
        ? `${job.key} was told to stop.`
        : `${job.key} is ${done.state}.`;
    },
  };
}

export function requeuing(letters: readonly Named[]): ActionRequest {
  const what = named(letters);
  return {
    title: `Requeue ${what}`,
    what: "The same jobs are put back and run as soon as workers are free. None is made anew.",
    confirm: "Requeue",
    run: async ({ key }) => {
      const body = { ids: letters.map((letter) => letter.id) };
      const { requeued } = await post("/admin/dead/requeue", { body }, key);
      return outcome(requeued, letters.length, "requeued");
    },
  };
}

export function discarding(letters: readonly Named[]): ActionRequest {
  const what = named(letters);
  return {
    title: `Discard ${what}`,
    what: "They leave the list and stay dead. The reason is kept with each of them.",
    confirm: "Discard",
    isDangerous: true,
    reason: "required",
    run: async ({ reason, key }) => {
      const body = { reason, ids: letters.map((letter) => letter.id) };
      const { discarded } = await post("/admin/dead/discard", { body }, key);
      return outcome(discarded, letters.length, "discarded");
    },
  };
}

function named(letters: readonly Named[]): string {
  return letters.length === 1 ? (letters[0]?.key ?? "") : `${letters.length} dead letters`;
}

/** Somebody else may have been faster with some of them. */
export function outcome(done: number, asked: number, word: string): string {
  const rest = asked - done;
  return rest === 0
    ? `${done.toLocaleString("en")} ${word}.`
    : `${done.toLocaleString("en")} ${word}; ${rest.toLocaleString("en")} were not dead letters any more.`;
}
