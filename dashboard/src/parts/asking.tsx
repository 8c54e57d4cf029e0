/**
 * Dialogs that ask before something is changed: who opens them, and the form that they all are.
 * Each has one idempotency key, however often it is sent; what was refused is sent under another,
 * because the server keeps the refusal under the first.
 */

import {
  type ComponentType,
  createContext,
  type ReactNode,
  useContext,
  useMemo,
  useState,
} from "react";
import { newKey } from "../api/client.ts";
import { asProblem, type Problem } from "../api/problem.ts";
import { useCaller } from "../session/dashboard.ts";
import { Dialog } from "./dialog.tsx";
import { ProblemBox } from "./states.tsx";

export interface AskingProps<R> {
  readonly request: R;
  readonly onClose: () => void;
}

/** What has the dialog in front of the page, and what opens it: for viewers, nothing happens. */
export function asking<R>(Box: ComponentType<AskingProps<R>>) {
  const Asking = createContext<(request: R) => void>(() => undefined);
  function Provider({ children }: { readonly children: ReactNode }) {
    const isOperator = useCaller().role === "operator";
    const [asked, ask] = useState<{ request: R; box: string } | null>(null);
    const open = useMemo(
      () => (request: R) => isOperator && ask({ request, box: newKey() }),
      [isOperator],
    );
    return (
      <Asking value={open}>
        {children}
        {asked && <Box key={asked.box} request={asked.request} onClose={() => ask(null)} />}
      </Asking>
    );
  }
  return [Provider, () => useContext(Asking)] as const;
}

interface QuestionProps {
  readonly title: string;
  readonly confirm: string;
  readonly isDangerous?: boolean | undefined;
  readonly isReady?: boolean;
  /** Kept in the audit. */
  readonly reason?: "required" | "optional" | undefined;
  readonly onClose: () => void;
  /** Given what was filled in, by its name, and the idempotency key. Closes unless it throws. */
  readonly onConfirm: (said: Readonly<Record<string, string>>, key: string) => Promise<void>;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Nothing was done. What says of the key alone, as that it is being carried out, is no refusal. */
function isRefusal({ status, code }: Problem): boolean {
  return status >= 400 && status < 500 && !code.startsWith("IDEMPOTENCY_");
}

export function Question(props: QuestionProps) {
  const { title, confirm, isDangerous, isReady = true, reason, onClose, onConfirm } = props;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [key, setKey] = useState(newKey);
  const submit = async (form: HTMLFormElement) => {
    const filled = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
    setBusy(true);
    setProblem(null);
    try {
      await onConfirm(Object.fromEntries(filled), key);
      onClose();
    } catch (error) {
      const found = asProblem(error);
      setProblem(found);
      if (isRefusal(found)) {
        setKey(newKey());
      }
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="action"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        {props.children}
        {reason && (
          <label className="field field-wide">
            <span>Reason{reason === "optional" && " (optional)"}</span>
            <input
              name="reason"
              required={reason === "required"}
              maxLength={500}
              autoComplete="off"
              placeholder="Kept in the audit, for whoever asks later"
            />
          </label>
        )}
        {problem && <ProblemBox problem={problem} />}
        <footer className="dialog-foot">
          <button type="button" className="button" onClick={onClose}>
            Not now
          </button>
          <button
            type="submit"
            className={`button ${isDangerous ? "button-danger" : "button-primary"}`}
            disabled={isBusy || !isReady}
          >
            {isBusy ? "Working …" : confirm}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
