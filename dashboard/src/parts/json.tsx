/** Any document as text. Never as HTML: what users wrote stays what they wrote. */

import { Copy } from "./copy.tsx";

const FOLDED_LINES = 24;

export function Json({ value, what = "document" }: { readonly value: unknown; what?: string }) {
  if (value === null || value === undefined) {
    return <p className="faint">Nothing.</p>;
  }
  return <Code text={JSON.stringify(value, null, 2)} what={what} />;
}

/** Long text in a box of its own: folded after a while, and it can be copied. */
export function Code({ text, what }: { readonly text: string; readonly what: string }) {
  const lines = text.split("\n").length;
  const block = (
    // Scrolls by itself, so the keyboard has to reach it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <section className="code" tabIndex={0} aria-label={what}>
      <pre dir="auto">{text}</pre>
    </section>
  );
  return (
    <div className="code-box">
      <Copy text={text} what={what} />
      {lines <= FOLDED_LINES ? (
        block
      ) : (
        <details>
          <summary>
            {what}, {lines} lines
          </summary>
          {block}
        </details>
      )}
    </div>
  );
}
