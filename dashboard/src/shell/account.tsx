/** Who is signed in, and signing out: here, or everywhere. */

import { remove } from "../api/client.ts";
import { asProblem } from "../api/problem.ts";
import { Icon } from "../parts/icons.tsx";
import { notify } from "../parts/notices.tsx";
import { Time } from "../parts/time.tsx";
import { useCaller } from "../session/dashboard.ts";
import { signedOut } from "../session/session.ts";

const MENU = "account-menu";

export async function signOut(everywhere: boolean): Promise<void> {
  try {
    await remove(everywhere ? "/admin/session/all" : "/admin/session", {});
    signedOut();
  } catch (error) {
    notify(asProblem(error).message);
  }
}

export function Account({ onHelp }: { readonly onHelp: () => void }) {
  const { name, role, endsAt } = useCaller();
  return (
    <div className="account">
      <button type="button" className="account-button" popoverTarget={MENU}>
        <span className="account-name" dir="auto">
          {name}
        </span>
        <span className={`badge ${role === "viewer" ? "tone-wait" : "tone-off"}`}>{role}</span>
        <Icon name="down" />
      </button>
      <div id={MENU} popover="auto" className="menu">
        <p className="menu-about">
          Signed in as <strong dir="auto">{name}</strong>, {role}
          {endsAt && (
            <>
              <br />
              until <Time at={endsAt} as="clock" />
            </>
          )}
        </p>
        <button type="button" popoverTarget={MENU} onClick={onHelp}>
          Keys <kbd>?</kbd>
        </button>
        <button type="button" popoverTarget={MENU} onClick={() => void signOut(false)}>
          Sign out
        </button>
        <button type="button" popoverTarget={MENU} onClick={() => void signOut(true)}>
          Sign out everywhere
        </button>
      </div>
    </div>
  );
}
