/** In front of the page: the browser's own `<dialog>`, which keeps the focus and knows Escape. */

import { type ReactNode, useEffect, useId, useRef } from "react";
import { Icon } from "./icons.tsx";

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
  /** Stays until it has an answer: for a session that ended. */
  readonly isFixed?: boolean;
  readonly className?: string;
}

export function Dialog({ title, children, onClose, isFixed = false, className }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = box.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) {
        before.focus();
      }
    };
  }, []);
  return (
    <dialog
      ref={box}
      className={`dialog ${className ?? ""}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        if (!isFixed) {
          onClose();
        }
      }}
      onClose={() => {
        // Closed by the browser: Chrome lets nobody prevent a second Escape in a row.
        const dialog = box.current;
        if (dialog && !dialog.open) {
          if (isFixed) {
            dialog.showModal();
          } else {
            onClose();
          }
        }
      }}
    >
      <header className="dialog-head">
        <h2 id={heading}>{title}</h2>
        {!isFixed && (
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
