/** The public page: a startup's address in, investors that fit out, each with the reasons why. */

import type { Match, RunStep, Signal, Startup } from "@handfast/match-run";
import { type UseMatchRun, useMatchRun } from "@handfast/match-run/react";
import { useEffect, useRef, useState } from "react";
import { Logo } from "../shell/logo.tsx";
import { ThemeToggle } from "../shell/theme-toggle.tsx";

const STEPS: readonly (readonly [RunStep, string])[] = [
  ["resolve", "Find the company"],
  ["extract", "Read its profile"],
  ["parse", "Understand it"],
  ["match", "Look for investors"],
  ["rank", "Order them"],
  ["finalize", "Write it down"],
];

const ASKED = "url";

export function MatchPage() {
  const match = useMatchRun();
  const [url, setUrl] = useState(() => new URLSearchParams(location.search).get(ASKED) ?? "");
  const result = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (match.isReady) {
      result.current?.focus();
    }
  }, [match.isReady]);
  const start = () => {
    const asked = url.trim();
    if (asked) {
      const search = new URLSearchParams({ [ASKED]: asked });
      history.replaceState(null, "", `?${search}`); // so that it can be sent to somebody
      match.startMatch(asked);
    }
  };
  return (
    <>
      <header className="match-top">
        <Logo />
        <ThemeToggle />
      </header>
      <main className="match" aria-busy={match.isLoading}>
        <h1>Investors who fit your startup</h1>
        <p className="match-lead">
          Give the address of its site. What is known of your startup is compared with what
          investors have done and say they look for; nobody visits the site.
        </p>
        <search>
          <form
            className="match-form"
            onSubmit={(event) => {
              event.preventDefault();
              start();
            }}
          >
            <label htmlFor="match-url">Your startup's site</label>
            <div className="match-ask">
              <input
                id="match-url"
                name="url"
                type="text"
                inputMode="url"
                autoComplete="url"
                spellCheck={false}
                maxLength={2000}
                placeholder="acme.com"
                required
                value={url}
                onChange={(event) => setUrl(event.target.value)}
              />
              <button type="submit" disabled={match.isLoading}>
                {match.isLoading ? "Looking …" : "Find investors"}
              </button>
            </div>
          </form>
        </search>
        <div aria-live="polite">
          {match.isLoading && <UnderWay match={match} />}
          {match.isError && (
            <div className="match-error" role="alert">
              <p>{match.error.message}</p>
              {match.error.retryable && (
                <button type="button" onClick={start}>
                  Try again
                </button>
              )}
            </div>
          )}
          {match.isReady && (
            <section aria-label="Result">
              <h2 ref={result} tabIndex={-1}>
                {match.matchCount === 0
                  ? `Nobody in our list fits ${match.startupName} yet`
                  : `${match.matchCount.toLocaleString("en")} investors for ${match.startupName}`}
              </h2>
              <About startup={match.run.startup} />
              <ol className="match-list">
                {match.matches.map((one) => (
                  <Investor key={one.investorId} match={one} />
                ))}
              </ol>
              {match.matches.length < match.matchCount && (
                <p className="faint">The best {match.matches.length} are shown.</p>
              )}
            </section>
          )}
        </div>
      </main>
    </>
  );
}

function UnderWay({ match }: { readonly match: UseMatchRun }) {
  const at = STEPS.findIndex(([step]) => step === match.run?.step);
  return (
    <div className="match-steps">
      <ol>
        {STEPS.map(([step, words], place) => (
          <li
            key={step}
            data-state={place < at ? "done" : place === at ? "now" : "later"}
            {...(place === at ? { "aria-current": "step" as const } : {})}
          >
            {words}
          </li>
        ))}
      </ol>
      {match.stillWorking && (
        <p>This takes longer than usual. It goes on even if you close this page.</p>
      )}
    </div>
  );
}

function About({ startup }: { readonly startup: Startup }) {
  const known = [
    startup.stage,
    startup.country,
    startup.raising === null ? null : `raising ${dollars(startup.raising)}`,
    ...startup.sectors,
  ].filter((one) => one !== null);
  return (
    <div className="match-about">
      <p dir="auto">{startup.pitch}</p>
      <ul className="match-tags">
        {known.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </div>
  );
}

function Investor({ match }: { readonly match: Match }) {
  return (
    <li className="investor">
      <div className="investor-score">
        <strong>{match.percent}</strong> %<span className="hidden"> fit</span>
        <svg viewBox="0 0 36 36" aria-hidden="true">
          <circle cx="18" cy="18" r="16" />
          <circle
            cx="18"
            cy="18"
            r="16"
            pathLength={100}
            strokeDasharray={`${match.percent} 100`}
          />
        </svg>
      </div>
      <div className="investor-about">
        <h3 dir="auto">
          {match.url ? (
            <a href={match.url} rel="noreferrer noopener" target="_blank">
              {match.name}
            </a>
          ) : (
            match.name
          )}{" "}
          <span className="soft">{match.firm}</span>
        </h3>
        <p className="soft">
          {[
            match.stages.join(", "),
            cheque(match.chequeMin, match.chequeMax),
            match.deals === null ? null : `${match.deals} deals`,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
        <Why signals={match.why} />
      </div>
    </li>
  );
}

function Why({ signals }: { readonly signals: readonly Signal[] }) {
  if (signals.length === 0) {
    return null;
  }
  return (
    <details>
      <summary>Why</summary>
      <ul className="why">
        {signals.map((one) => (
          <li key={one.signal}>
            <span className="why-name">{one.signal}</span>
            <meter
              min={0}
              max={100}
              value={one.agrees ?? 0}
              aria-label={`How much ${one.signal} agrees`}
            />
            <span dir="auto">{one.says}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function dollars(amount: number): string {
  return new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: "USD",
    notation: "compact",
    maximumFractionDigits: 1,
  }).format(amount);
}

function cheque(least: number | null, most: number | null): string | null {
  if (least === null && most === null) {
    return null;
  }
  return [least, most]
    .filter((one) => one !== null)
    .map(dollars)
    .join(" to ");
}
