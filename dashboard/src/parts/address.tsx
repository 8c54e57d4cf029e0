/** A link to an address that only somebody else knows, as `"/stakes/7"`: without loading anew. */

import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

export function Address({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  const router = useRouter();
  const href = `${router.basepath}${to}`;
  const follow = (event: MouseEvent) => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
    if (isPlain && !event.altKey) {
      event.preventDefault();
      router.history.push(href);
    }
  };
  return (
    <a href={href} onClick={follow}>
      {children}
    </a>
  );
}
