/** Money is whole minor units with a currency, never a fraction: 1000 of EUR is `10.00 EUR`. */

const DIGITS = new Map<string, number>();

/** How many digits the minor unit has: 2 for EUR, 0 for JPY, 3 for KWD. */
export function minorDigits(currency: string): number {
  let found = DIGITS.get(currency);
  if (found === undefined) {
    const { maximumFractionDigits } = new Intl.NumberFormat("en", {
      style: "currency",
      currency: /^[A-Z]{3}$/.test(currency) ? currency : "XXX",
    }).resolvedOptions();
    found = maximumFractionDigits ?? 2;
    DIGITS.set(currency, found);
  }
  return found;
}

/** Without the currency: `1,234.50`. By digits alone, so that nothing is rounded. */
export function amountOf(minor: number, currency: string): string {
  const digits = minorDigits(currency);
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits).replaceAll(/\B(?=(\d{3})+$)/g, ",");
  const part = digits > 0 ? `.${text.slice(-digits)}` : "";
  return `${minor < 0 ? "−" : ""}${whole}${part}`;
}

/** `1,234.50 EUR` */
export function money(minor: number, currency: string): string {
  return `${amountOf(minor, currency)} ${currency}`;
}

/** With its sign, as in a statement: `+10.00`, `−10.00`. */
export function signed(minor: number, currency: string): string {
  return `${minor > 0 ? "+" : ""}${amountOf(minor, currency)}`;
}

/** An id too long to be read: its beginning. */
export function shortId(id: string): string {
  return id.length > 13 ? `${id.slice(0, 8)}…` : id;
}
