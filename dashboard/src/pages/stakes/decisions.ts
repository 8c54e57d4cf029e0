/** What deciding a dispute does with the money. Pure. */

import type { Answers } from "../../api/client.ts";
import { money, shortId } from "../ledger/money.ts";

type Session = Answers["SessionShown"];

export function whom(player: string, session: Session): string {
  const at = session.players.indexOf(player);
  return at < 0 ? shortId(player) : `player ${at + 1} (${shortId(player)})`;
}

/** How much of the pot is whose, after a decision. */
function shareOf(player: string, session: Session, winner: string | null): number {
  if (winner === null) {
    return session.amount;
  }
  return player === winner ? 2 * session.amount : 0;
}

/** What a decision does, in a sentence: the pot is there, or somebody has it already. */
export function whatHappens(session: Session, winner: string | null): string {
  const pot = money(2 * session.amount, session.currency);
  const isPaid = session.status !== "disputed";
  if (!isPaid) {
    return winner === null
      ? `The pot of ${pot} is divided: each gets the own stake back, to where it came from.`
      : `The pot of ${pot} goes to the wallet of ${whom(winner, session)}.`;
  }
  const [first, second] = session.players as [string, string];
  const moved = shareOf(first, session, winner) - shareOf(first, session, session.winnerId);
  if (moved === 0) {
    return "The money stays where it is: it was given out that way.";
  }
  const [giver, taker] = moved < 0 ? [first, second] : [second, first];
  const amount = money(Math.abs(moved), session.currency);
  return `The pot was paid out already: ${amount} is taken from ${whom(giver, session)} and goes to the wallet of ${whom(taker, session)}. It is refused if it is no longer there.`;
}
