import { useState } from "react";
import { announce } from "./announce.tsx";
import { Icon } from "./icons.tsx";

/** Copies what is too long to be typed. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [isDone, setDone] = useState(false);
  return (
    <button
      type="button"
      className="icon-button copy"
      aria-label={`Copy the ${what}`}
      onClick={async (event) => {
        event.stopPropagation();
        await navigator.clipboard?.writeText(text);
        setDone(true);
        announce(`The ${what} was copied.`);
        setTimeout(() => setDone(false), 1_500);
      }}
    >
      <Icon name={isDone ? "check" : "copy"} />
    </button>
  );
}
