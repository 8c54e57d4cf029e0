/** A token for a cookie; or a code, which `handfast demo` prints. */

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { post } from "../api/client.ts";
import { asProblem, type Problem } from "../api/problem.ts";
import { Dialog } from "../parts/dialog.tsx";
import { ProblemBox } from "../parts/states.tsx";
import { Logo } from "../shell/logo.tsx";
import { whoIsHere } from "./dashboard.ts";
import { signedIn, takeCode } from "./session.ts";

// Taken as soon as this is loaded: it shall be in the address for as short as it can.
const code = takeCode(window.location, window.history);

export function SignInPage() {
  return (
    <main className="sign-in">
      <div className="sign-in-box">
        <Logo />
        <h1>Sign in</h1>
        <SignInForm code={code} />
      </div>
    </main>
  );
}

/**
 * In front of a page whose session has ended: what was typed there is still there. It stays until
 * it is known who has signed in, because the page is not for somebody else.
 */
export function SignInAgain() {
  const queries = useQueryClient();
  const askWho = () => queries.fetchQuery({ ...whoIsHere, staleTime: 0 });
  return (
    <Dialog title="Your session has ended" onClose={() => undefined} isFixed>
      <p>Sign in again to go on where you were. Nothing on the page is lost.</p>
      <SignInForm code={null} onSignedIn={askWho} />
    </Dialog>
  );
}

let isCodeTried = false;

interface FormProps {
  readonly code: string | null;
  /** Before anything else is asked. */
  readonly onSignedIn?: () => Promise<unknown>;
}

function SignInForm({ code, onSignedIn }: FormProps) {
  const [isBusy, setBusy] = useState(code !== null && !isCodeTried);
  const [problem, setProblem] = useState<Problem | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const attempt = async (ask: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await ask();
      await onSignedIn?.();
      signedIn();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
      field.current?.focus();
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what the address had
  useEffect(() => {
    if (code !== null && !isCodeTried) {
      isCodeTried = true;
      void attempt(() => post("/admin/session/code", { body: { code } }));
    }
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const token = field.current?.value.trim();
    if (token) {
      void attempt(() => post("/admin/session", { body: { token } }));
    }
  };
  return (
    <form className="sign-in-form" onSubmit={submit}>
      <label className="field field-wide">
        <span>Token</span>
        <input
          ref={field}
          type="password"
          name="token"
          autoComplete="current-password"
          required
          maxLength={500}
          // biome-ignore lint/a11y/noAutofocus: the only thing to do here
          autoFocus
        />
      </label>
      <button type="submit" className="button button-primary" disabled={isBusy}>
        {isBusy ? "Signing in …" : "Sign in"}
      </button>
      {problem && <ProblemBox problem={problem} />}
      <p className="faint sign-in-help">
        An operator's token is in <code>HANDFAST_ADMIN_TOKEN</code>, a viewer's in{" "}
        <code>HANDFAST_VIEWER_TOKEN</code>. In development, <code>handfast up</code> makes one and
        prints it once; <code>handfast demo</code> prints a link that signs you in.
      </p>
    </form>
  );
}
