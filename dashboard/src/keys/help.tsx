/** `?`: which keys answer here. */

import { Dialog } from "../parts/dialog.tsx";
import { boundKeys } from "./keys.ts";

const ALWAYS = [
  { key: "Ctrl K", does: "Go anywhere, do anything (⌘ K on a Mac)" },
  { key: "Enter", does: "Open what has the focus" },
  { key: "Esc", does: "Close what is in front" },
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {[...boundKeys(), ...ALWAYS].map(({ key, does }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
