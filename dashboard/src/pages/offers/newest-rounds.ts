/** The newest rounds: they say which date is the one that moves. */

import { reading } from "../../api/client.ts";

export function newestRounds() {
  const params = { query: { limit: 14 } };
  return reading("/admin/offers/rounds", { params }, { areas: ["match"], everySeconds: 60 });
}
