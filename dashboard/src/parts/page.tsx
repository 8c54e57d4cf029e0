/** The head of every page, and the boxes in it. */

import { type ReactNode, useEffect, useRef } from "react";

interface PageProps {
  readonly title: string;
  /** One line about what is seen here. */
  readonly about?: ReactNode;
  /** At the right of the title: what can be done with all of it. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The title takes the focus when the page is come to by a link, so that it is read out. */
export function Page({ title, about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Handfast`;
  }, [title]);
  useEffect(() => {
    if (arrivedByLink) {
      heading.current?.focus({ preventScroll: true });
    }
    arrivedByLink = true;
  }, []);
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-title">
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {title}
          </h1>
          {about && <div className="page-about">{about}</div>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

let arrivedByLink = false; // not when the page is first loaded: that is read out anyhow

interface PanelProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Panel({ title, aside, children, className }: PanelProps) {
  return (
    <div className={`panel ${className ?? ""}`}>
      <header className="panel-head">
        <h2>{title}</h2>
        {aside && <div className="panel-aside">{aside}</div>}
      </header>
      {children}
    </div>
  );
}

/** Names and what they are, in two columns. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  readonly tone?: "bad" | "good";
}

/** One large number. */
export function Figure({ label, value, note, tone }: FigureProps) {
  return (
    <div className={`figure ${tone ? `figure-${tone}` : ""}`}>
      <dt>{label}</dt>
      <dd>
        <span className="figure-value">{value}</span>
        {note && <span className="figure-note">{note}</span>}
      </dd>
    </div>
  );
}
