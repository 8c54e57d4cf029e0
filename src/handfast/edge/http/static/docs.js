// A file of its own: the page's policy allows no script inside it.
//
// No token is kept here, not even in memory for longer than it takes to sign in: the browser holds a
// cookie that no script can read, and what changes something bears a header besides.
const CHANGE = "X-Handfast-Change";

async function signIn(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer.ok;
}

function shown(session) {
  const state = document.getElementById("session-state");
  state.textContent = session ? `Signed in as ${session.name} (${session.caller}).` : "Not signed in.";
  document.getElementById("session-out").hidden = !session;
  document.getElementById("session-in").hidden = !!session;
}

async function look() {
  const answer = await fetch("/admin/session");
  shown(answer.ok ? await answer.json() : null);
}

async function begin() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code) {
    history.replaceState(null, "", location.pathname);
    await signIn("/admin/session/code", { code });
  }
  await look();
}

document.getElementById("session-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = document.getElementById("session-token");
  const token = field.value;
  field.value = "";
  if (!(await signIn("/admin/session", { token }))) {
    document.getElementById("session-state").textContent = "That is nobody's token.";
    return;
  }
  await look();
});

document.getElementById("session-out").addEventListener("click", async () => {
  await fetch("/admin/session", { method: "DELETE", headers: { [CHANGE]: "1" } });
  await look();
});

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  tryItOutEnabled: true,
  // A token that is typed into its own dialog is gone when the page is left or loaded again.
  persistAuthorization: false,
  requestInterceptor: (request) => {
    if (!["GET", "HEAD"].includes((request.method || "GET").toUpperCase())) {
      request.headers[CHANGE] = "1";
    }
    return request;
  },
});
localStorage.removeItem("authorized"); // where an older version of this page kept it
begin();
