/** What went wrong, in the words of the server's problem documents (RFC 9457), or in ours. */

export interface ProblemDocument {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly message: string;
}

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** What to do about it, where the server said so. */
  readonly hint: string | null;
  readonly requestId: string | null;

  constructor(said: ProblemDocument, requestId: string | null = null) {
    super(said.message);
    this.name = "Problem";
    this.status = said.status;
    this.code = said.code;
    this.title = said.title;
    this.detail = said.detail;
    this.hint = hintIn(said);
    this.requestId = requestId;
  }

  /** Nobody answered: the server is away, or the network. */
  get isUnreachable(): boolean {
    return this.status === 0;
  }
}

/** `message` is the detail with the hint after it. */
function hintIn({ detail, message }: ProblemDocument): string | null {
  const rest = message.startsWith(detail) ? message.slice(detail.length).trim() : message;
  return rest && rest !== detail ? rest : null;
}

function isDocument(said: unknown): said is ProblemDocument {
  const found = said as Partial<ProblemDocument> | null;
  return typeof found?.title === "string" && typeof found.detail === "string";
}

export function problemOf(response: Response, said: unknown): Problem {
  const requestId = response.headers.get("x-request-id");
  if (isDocument(said)) {
    const { code = "BAD_ANSWER", message = said.detail } = said;
    return new Problem({ ...said, status: response.status, code, message }, requestId);
  }
  const detail = `The server answered ${response.status} without saying why.`;
  return new Problem(
    {
      title: "Unexpected answer",
      status: response.status,
      detail,
      code: "BAD_ANSWER",
      message: `${detail} Try again; if it stays, the server's log has the request.`,
    },
    requestId,
  );
}

export function unreachable(): Problem {
  const detail = "The server cannot be reached.";
  return new Problem({
    title: "Server gone",
    status: 0,
    detail,
    code: "UNREACHABLE",
    message: `${detail} This page goes on trying, and shows what it last knew.`,
  });
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  return new Problem({
    title: "This page failed",
    status: -1,
    detail,
    code: "PAGE",
    message: `${detail} Reload the page.`,
  });
}
