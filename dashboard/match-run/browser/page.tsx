/** A page with the hook on it, as anybody would write it; `drive.mjs` uses it. */

import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { useMatchRun } from "../src/react.ts";

const history: string[] = [];

function Search() {
  const match = useMatchRun();
  if (history.at(-1) !== match.status) {
    history.push(match.status);
  }
  return (
    <section aria-busy={match.isLoading}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          match.startMatch(String(new FormData(event.currentTarget).get("url")));
        }}
      >
        <input name="url" aria-label="URL" />
        <button type="submit">Find investors</button>
        <button type="button" onClick={match.reset}>
          Reset
        </button>
      </form>
      <output>{match.status}</output>
      {match.isError && <p role="alert">{match.error.code}</p>}
      {match.isReady && (
        <>
          <h1>{match.startupName}</h1>
          <p id="count">{match.matchCount}</p>
          <ol>
            {match.matches.map((one) => (
              <li key={one.investorId}>
                {one.name}: {one.percent} %
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function Page() {
  const [isShown, show] = useState(true);
  return (
    <>
      {isShown && <Search />}
      <button type="button" id="toggle" onClick={() => show(!isShown)}>
        Toggle
      </button>
    </>
  );
}

Object.assign(globalThis, { matchRunHistory: history });
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
