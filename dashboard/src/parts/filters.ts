/**
 * Filters live in the address, so that every view can be sent to somebody. A route says which there
 * are; whatever else an address holds is left out, and what does not fit is as if it was not said.
 *
 *     validateSearch: filters({ kind: text(), state: oneOf(JOB_STATES), after: whole() })
 */

type Reader<T> = (said: string) => T | undefined;
type Readers = Record<string, Reader<unknown>>;

/** Each filter, if it is there. */
export type Filters<R extends Readers> = { [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined> };

export function filters<R extends Readers>(readers: R) {
  return (search: Record<string, unknown>): Filters<R> => {
    const found: Record<string, unknown> = {};
    for (const [name, read] of Object.entries(readers)) {
      const said = search[name];
      const value = said === undefined || said === null ? undefined : read(String(said));
      if (value !== undefined) {
        found[name] = value;
      }
    }
    return found as Filters<R>;
  };
}

export function text(lengthMax = 500): Reader<string> {
  return (said) => (said && said.length <= lengthMax && !said.includes("\0") ? said : undefined);
}

export function oneOf<const T extends string>(values: readonly T[]): Reader<T> {
  return (said) => values.find((value) => value === said);
}

/** A positive whole number that JavaScript can hold. */
export function whole(): Reader<number> {
  return (said) => {
    const number = /^\d{1,16}$/.test(said) ? Number(said) : Number.NaN;
    return Number.isSafeInteger(number) && number > 0 ? number : undefined;
  };
}

export function flag(): Reader<true> {
  return (said) => (said === "true" ? true : undefined);
}

/** Addresses hold plain words: `?key=123` is the text 123, however it was typed. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const said = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString();
  return query && `?${query}`;
}
