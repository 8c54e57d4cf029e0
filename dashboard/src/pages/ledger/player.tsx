/** Who it is: the beginning of the id, which leads to the player's ledger. */

import { Link } from "@tanstack/react-router";
import { shortId } from "./money.ts";

export function Player({ id }: { readonly id: string }) {
  return (
    <Link to="/ledger/players/$playerId" params={{ playerId: id }} title={id} className="mono">
      <bdi>{shortId(id)}</bdi>
    </Link>
  );
}
