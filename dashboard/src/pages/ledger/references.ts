/** A stake's transfer is called `stake:17`, and what follows from it `stake:17:…`. */
export function addressOfTransfer(reference: string): string | null {
  const [, what, id] = /^(stake|session):(\d{1,18})(?::|$)/.exec(reference) ?? [];
  if (id === undefined) {
    return null;
  }
  return what === "stake" ? `/stakes/tickets/${id}` : `/stakes/sessions/${id}`;
}
