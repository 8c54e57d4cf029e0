/**
 * A list in pages, with the place in it in the address:
 *
 *     <List query={dead} filtered={filtered} rows={(page) => page.letters} empty={<Empty … />}>
 *       {(letters) => <Table label="Dead letters" rows={letters} … />}
 *     </List>
 */

import { type UseQueryOptions, type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { keeping } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { type Filtered, Pager } from "./filter-bar.tsx";
import { Loaded } from "./states.tsx";

interface InPages {
  readonly next: string | number | null;
}

interface ListProps<P extends InPages, T> {
  readonly query: UseQueryResult<P, Problem>;
  readonly filtered: Pick<Filtered<{ readonly after?: string | number }>, "filters" | "go">;
  readonly rows: (page: P) => readonly T[];
  /** Instead of no rows. A page may have none, and there may still be more. */
  readonly empty: ReactNode;
  readonly children: (rows: readonly T[]) => ReactNode;
}

export function List<P extends InPages, T>({
  query,
  filtered: { filters, go },
  rows,
  empty,
  children,
}: ListProps<P, T>) {
  return (
    <Loaded query={query}>
      {(page) => {
        const shown = rows(page);
        return (
          <>
            {shown.length > 0 ? children(shown) : empty}
            <Pager
              next={page.next}
              isFirst={filters.after === undefined}
              shown={shown.length}
              onGo={go}
            />
          </>
        );
      }}
    </Loaded>
  );
}

/** As `useQuery`; the page before stays until the next one of the same is there. */
export function usePages<P>(query: UseQueryOptions<P, Problem>) {
  return useQuery<P, Problem>(keeping(query));
}
