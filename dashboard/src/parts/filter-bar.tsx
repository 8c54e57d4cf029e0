/** Filters that are in the address: `useFilters(route)` reads and sets them, the fields show them. */

import { type ReactNode, useEffect, useId, useRef, useState } from "react";

type Searched = Record<string, unknown>;

export interface Filtered<S> {
  readonly filters: S;
  /** Some of them anew; the place in the list begins at its beginning again. */
  readonly set: (changed: Partial<{ [K in keyof S]: S[K] | undefined }>) => void;
  /** To another place in the list. */
  readonly go: (after: string | number | undefined) => void;
  readonly clear: () => void;
  /** Those that narrow the list down: all but the place in it. */
  readonly count: number;
}

const PLACE = "after";
const TYPING_MS = 250;

export function useFilters<S extends object>(route: {
  useSearch: () => S;
  useNavigate: () => unknown;
}): Filtered<S> {
  const filters = route.useSearch();
  const navigate = route.useNavigate() as (to: {
    search: Searched | ((before: Searched) => Searched);
    replace: boolean;
  }) => Promise<void>;
  // From what the address says by then: two fields may be changed before it is drawn again.
  const become = (changed: Searched, replace: boolean) =>
    void navigate({
      search: (before: Searched) => ({ ...before, [PLACE]: undefined, ...changed }),
      replace,
    });
  return {
    filters,
    set: (changed) => become(changed, true),
    go: (after) => become({ [PLACE]: after }, false),
    clear: () => void navigate({ search: {}, replace: false }),
    count: Object.keys(filters).filter((name) => name !== PLACE).length,
  };
}

interface BarProps {
  readonly label: string;
  /** Brings a button that clears them while some are set. */
  readonly filtered?: Pick<Filtered<unknown>, "clear" | "count">;
  readonly children: ReactNode;
}

export function FilterBar({ children, label, filtered }: BarProps) {
  return (
    <search className="filters" aria-label={label}>
      {children}
      {filtered !== undefined && filtered.count > 0 && (
        <button type="button" className="button" onClick={filtered.clear}>
          Clear
        </button>
      )}
    </search>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly placeholder?: string;
  /** Known values that are offered, while others may be typed. */
  readonly options?: readonly string[];
  readonly isWide?: boolean;
}

export function FilterText({ label, value, onChange, placeholder, options, isWide }: TextProps) {
  const id = useId();
  const [typed, setTyped] = useState(value ?? "");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value ?? "");
  useEffect(() => {
    if ((value ?? "") !== sent.current) {
      sent.current = value ?? "";
      setTyped(value ?? ""); // changed by the address, not by this field
    }
  }, [value]);
  const commit = (next: string) => {
    clearTimeout(timer.current);
    if (next !== sent.current) {
      sent.current = next;
      onChange(next || undefined);
    }
  };
  return (
    <label className={isWide ? "field field-wide" : "field"} htmlFor={id}>
      <span>{label}</span>
      <input
        id={id}
        type="search"
        value={typed}
        placeholder={placeholder}
        maxLength={500}
        spellCheck={false}
        autoComplete="off"
        list={options && `${id}-options`}
        onChange={(event) => {
          const next = event.target.value;
          setTyped(next);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => commit(next), TYPING_MS);
        }}
        onBlur={() => commit(typed)}
        onKeyDown={(event) => event.key === "Enter" && commit(typed)}
      />
      {options && (
        <datalist id={`${id}-options`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T | undefined;
  readonly options: readonly T[];
  readonly onChange: (value: T | undefined) => void;
  readonly anyLabel?: string;
}

export function FilterChoice<T extends string>({
  label,
  value,
  options,
  onChange,
  anyLabel = "any",
}: ChoiceProps<T>) {
  return (
    <label className="field">
      <span>{label}</span>
      <select
        value={value ?? ""}
        onChange={(event) => onChange((event.target.value || undefined) as T | undefined)}
      >
        <option value="">{anyLabel}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

interface PagerProps {
  readonly next: string | number | null;
  readonly isFirst: boolean;
  readonly shown: number;
  readonly onGo: (after: string | number | undefined) => void;
}

/** A bounded look: a page may be short and still not be the last one. */
export function Pager({ next, isFirst, shown, onGo }: PagerProps) {
  if (shown === 0 && isFirst && next === null) {
    return null; // it is empty, and said so
  }
  return (
    <nav className="pager" aria-label="Pages of the list">
      <span className="faint">
        {shown.toLocaleString("en")} shown
        {next !== null && ", there are more"}
      </span>
      {!isFirst && (
        <button type="button" className="button" onClick={() => onGo(undefined)}>
          To the beginning
        </button>
      )}
      {next !== null && (
        <button type="button" className="button" onClick={() => onGo(next)}>
          Further
        </button>
      )}
    </nav>
  );
}
