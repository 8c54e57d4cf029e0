/** Find a job from anywhere: how its key begins, or `#` and its id. */

import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Icon } from "../parts/icons.tsx";

const FIELD = "search-by-key";

export function focusSearch(): void {
  const field = document.getElementById(FIELD) as HTMLInputElement | null;
  field?.focus();
  field?.select();
}

export function Search({ onPalette }: { readonly onPalette: () => void }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  return (
    <search className="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const said = typed.trim();
          const id = /^#(\d{1,15})$/.exec(said)?.[1];
          if (id) {
            void navigate({ to: "/jobs/$jobId", params: { jobId: id } });
          } else if (said) {
            void navigate({ to: "/jobs", search: { key: said } });
          }
        }}
      >
        <Icon name="search" />
        <input
          id={FIELD}
          type="search"
          aria-label="Find jobs by how their key begins, or by # and an id"
          placeholder="Find a job by key, or #id"
          maxLength={500}
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span className="kbd" aria-hidden="true">
          /
        </span>
      </form>
      <button type="button" className="palette-button" onClick={onPalette}>
        <span className="hidden">Open the command palette</span>
        <span className="kbd" aria-hidden="true">
          Ctrl K
        </span>
      </button>
    </search>
  );
}
