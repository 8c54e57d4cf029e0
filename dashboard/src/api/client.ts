/**
 * The API, typed by its own description: `schema.ts` is made by `./run dashboard`.
 *
 *     const { data } = useQuery(reading("/admin/workers", {}, { areas: ["worker"] }));
 *     await post("/admin/jobs/{job_id}/retry", { params: { path: { job_id: 17 } } });
 */

import { hashKey, queryOptions, type UseQueryOptions } from "@tanstack/react-query";
import createClient, { type MaybeOptionalInit } from "openapi-fetch";
import type { HttpMethod, PathsWithMethod, SuccessResponseJSON } from "openapi-typescript-helpers";
import { sessionEnded } from "../session/session.ts";
import { noteServerTime } from "../time/clock.ts";
import { type Problem, problemOf, unreachable } from "./problem.ts";
import type { components, paths } from "./schema.ts";

/** A struct of the API by its name: `Answers["JobDetail"]`. */
export type Answers = components["schemas"];

type Changing = "post" | "put" | "patch" | "delete";
type Answer<P extends keyof paths, M extends HttpMethod> =
  paths[P] extends Record<M, infer O>
    ? SuccessResponseJSON<O & Record<string | number, unknown>>
    : never;
type Init<P extends keyof paths, M extends HttpMethod> = MaybeOptionalInit<
  paths[P],
  M & keyof paths[P]
>;

/** What a GET answers. */
export type Read<P extends PathsWithMethod<paths, "get">> = Answer<P, "get">;

const client = createClient<paths>({
  // Asked for each call and not kept: a test, or a tab that slept, may have another by then.
  fetch: (request) => globalThis.fetch(request),
  credentials: "same-origin",
});

/** Asks, and throws a `Problem` for whatever is no success. */
async function send(
  method: HttpMethod,
  path: string,
  init: Record<string, unknown>,
): Promise<unknown> {
  const asked = Date.now();
  let answer: { data?: unknown; error?: unknown; response: Response };
  try {
    // biome-ignore lint/suspicious/noExplicitAny: typed by those who call; here it is all one
    answer = await (client.request as any)(method, path, init);
  } catch (error) {
    if ((init.signal as AbortSignal | undefined)?.aborted) {
      throw error;
    }
    throw unreachable();
  }
  const { data, error, response } = answer;
  noteServerTime(response.headers.get("date"), asked, Date.now());
  if (response.ok) {
    return data;
  }
  if (response.status === 401) {
    sessionEnded();
  }
  throw problemOf(response, error);
}

export interface ReadingOptions {
  /** Of which events it is worth asking again: the first word of their type, such as `job`. */
  readonly areas?: readonly string[];
  /** Asked again so often while a stream is there; more often while there is none. */
  readonly everySeconds?: number;
  readonly enabled?: boolean;
}

/** A query: for `useQuery`, `ensureQueryData` and the like. */
export function reading<P extends PathsWithMethod<paths, "get">>(
  path: P,
  init: Init<P, "get">,
  { areas = [], everySeconds = 60, enabled = true }: ReadingOptions = {},
) {
  return queryOptions<Answer<P, "get">, Problem>({
    queryKey: [path, init?.params ?? {}],
    queryFn: async ({ signal }) =>
      (await send("get", path, { ...init, signal })) as Answer<P, "get">,
    meta: { areas, everySeconds },
    enabled,
  });
}

/**
 * The answer before stays until the next is there, if it is of the same thing: another page or
 * filter, and not another id in the path. One person's money is not shown under another's name.
 */
export function keeping<A>(query: UseQueryOptions<A, Problem>): UseQueryOptions<A, Problem> {
  const same = thingOf(query.queryKey);
  const kept = (before: A | undefined, last?: { readonly queryKey: readonly unknown[] }) =>
    last && thingOf(last.queryKey) === same ? before : undefined;
  return {
    ...query,
    placeholderData: kept as NonNullable<UseQueryOptions<A, Problem>["placeholderData"]>,
  };
}

function thingOf([path, params]: readonly unknown[]): string {
  return hashKey([path, (params as { readonly path?: unknown } | undefined)?.path]);
}

type Change<M extends Changing> = <P extends PathsWithMethod<paths, M>>(
  path: P,
  init: Init<P, M>,
  key?: string,
) => Promise<Answer<P, M>>;

/** Something that changes. The same key if it is sent again: it is never done twice. */
function changing<M extends Changing>(method: M): Change<M> {
  const ask = (path: string, init: object | undefined, key: string = newKey()) =>
    send(method, path, {
      ...init,
      headers: { "X-Handfast-Change": "1", "Idempotency-Key": key },
    });
  return ask as Change<M>;
}

export const post = changing("post");
export const put = changing("put");
export const patch = changing("patch");
export const remove = changing("delete");

/** A version 4 UUID, also where the page has come over plain HTTP and `randomUUID` is missing. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [0, 8, 12, 16, 20].map((at, i) => hex.slice(at, [8, 12, 16, 20, 32][i])).join("-");
}
