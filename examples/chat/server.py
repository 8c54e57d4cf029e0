"""Serve examples/chat.html, and hand everything else on to Handfast: a browser lets a page call
only the address that it came from. For trying things out, on this machine; nothing but the standard
library.

    handfast demo                          # or: handfast up, with HANDFAST_TEST_NUMBERS
    python examples/chat/server.py         # then open http://127.0.0.1:8080 twice
"""

import argparse
import contextlib
import http.client
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

PAGE = Path(__file__).parents[1] / "chat.html"
PASSED_ON = ("authorization", "content-type", "idempotency-key", "last-event-id")


class Handler(BaseHTTPRequestHandler):
    upstream = "127.0.0.1:8000"

    def do_GET(self) -> None:
        if urlsplit(self.path).path != "/":
            self._pass_on()
            return
        page = PAGE.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def do_POST(self) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        """The answer goes back as it comes, so that streams stream."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name: self.headers[name] for name in PASSED_ON if self.headers[name]}
        connection = http.client.HTTPConnection(self.upstream)
        try:
            connection.request(self.command, self.path, body, headers)
            upstream = connection.sock
            answer = connection.getresponse()
        except OSError:
            self.send_error(502, "Handfast does not answer")
            return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers.get("Content-Type", "text/plain"))
        self.end_headers()
        threading.Thread(target=self._leave_with, args=(upstream,), daemon=True).start()
        # Whoever listened is gone, or who spoke.
        with contextlib.suppress(OSError, http.client.HTTPException):
            while chunk := answer.read1(65536):
                self.wfile.write(chunk)
                self.wfile.flush()
        answer.close()
        connection.close()

    def _leave_with(self, upstream: socket.socket) -> None:
        """When the browser closes its end, ours is closed too: a stream would go on unheard."""
        with contextlib.suppress(OSError):
            if not self.connection.recv(1, socket.MSG_PEEK):
                upstream.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        """Quiet."""


def server(port: int, upstream: str) -> ThreadingHTTPServer:
    handler = type("Handler", (Handler,), {"upstream": upstream})
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Try a chat in a browser.")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--handfast", default="127.0.0.1:8000", help="where it serves")
    options = parser.parse_args()
    with server(options.port, options.handfast) as serving:
        print(f"Open http://127.0.0.1:{serving.server_port} in two windows.")
        with contextlib.suppress(KeyboardInterrupt):
            serving.serve_forever()
