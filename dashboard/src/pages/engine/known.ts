/** Names that there are, offered while somebody types. */

import { useQuery } from "@tanstack/react-query";
import { reading } from "../../api/client.ts";

export function useKinds(): readonly string[] {
  const { data } = useQuery(reading("/admin/figures/kinds", {}, { everySeconds: 300 }));
  return data?.kinds.map((one) => one.kind).sort() ?? [];
}

export function useLanes(): readonly string[] {
  const { data } = useQuery(reading("/admin/workers", {}, { everySeconds: 300 }));
  return [...new Set(data?.workers.flatMap((worker) => worker.lanes) ?? [])].sort();
}
