/** Around every page: where one can go, the search by key, whether it is live, and who is here. */

import { Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { KeyHelp } from "../keys/help.tsx";
import { listenForKeys, useKeys } from "../keys/keys.ts";
import { LiveIndicator, LiveProvider } from "../live/live.tsx";
import { ActProvider } from "../parts/actions.tsx";
import { BulkProvider, BulkTray } from "../parts/bulk.tsx";
import { Icon } from "../parts/icons.tsx";
import { Notices } from "../parts/notices.tsx";
import { Account } from "./account.tsx";
import { Logo } from "./logo.tsx";
import { Nav } from "./nav.tsx";
import { focusSearch, Search } from "./search.tsx";
import { ThemeToggle } from "./theme-toggle.tsx";

const Palette = lazy(() => import("./palette.tsx"));

export function Shell() {
  const [isNavOpen, setNavOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => listenForKeys(() => setPaletteOpen((open) => !open)), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another page is shown
  useEffect(() => setNavOpen(false), [path]);
  useKeys([
    { key: "/", does: "Find a job by its key", run: focusSearch },
    { key: "?", does: "This help", run: () => setHelpOpen(true) },
  ]);
  return (
    <LiveProvider>
      <ActProvider>
        <BulkProvider>
          <div className="shell" data-nav={isNavOpen ? "open" : undefined}>
            <a className="skip" href="#page">
              Skip to the page
            </a>
            <header className="top">
              <button
                type="button"
                className="icon-button nav-toggle"
                aria-expanded={isNavOpen}
                aria-controls="nav"
                aria-label="Pages"
                onClick={() => setNavOpen(!isNavOpen)}
              >
                <Icon name={isNavOpen ? "close" : "menu"} />
              </button>
              <Logo />
              <Search onPalette={() => setPaletteOpen(true)} />
              <LiveIndicator />
              <ThemeToggle />
              <Account onHelp={() => setHelpOpen(true)} />
            </header>
            <Nav />
            <main id="page" className="main" tabIndex={-1}>
              <Suspense>
                <Outlet />
              </Suspense>
            </main>
            <div className="corner">
              <BulkTray />
              <Notices />
            </div>
          </div>
          {isPaletteOpen && (
            <Suspense>
              <Palette onClose={() => setPaletteOpen(false)} />
            </Suspense>
          )}
          {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
        </BulkProvider>
      </ActProvider>
    </LiveProvider>
  );
}
