"""From what somebody typed to the one spelling of it: the canonical URL.

A run is unique by its canonical URL, and a startup is known by one. So everything that does not
tell two companies apart is taken away here: scheme, ``www.``, default ports, case of the host,
trailing slashes, fragment, tracking parameters and the order of the others. docs/concepts/urls.md
says which startup a canonical URL then reaches; that is decided in SQL
(``handfast_runs.resolve_startup_by_url``).

``canonical_url`` is the function of record. ``handfast_runs.canonicalize_url`` in SQL is its
twin for hosts
in ASCII; whoever changes one changes the other, and tests/apps/runs compares them.
"""

import re
from dataclasses import dataclass
from functools import cache

import asyncpg

from handfast.apps.runs.errors import InvalidUrl
from handfast.apps.runs.tracking import is_tracking
from handfast.base.extras import extra
from handfast.db.constraints import sqlstate
from handfast.services.outbound.addresses import why_not

with extra("runs"):
    import ada_url
    from ada_url import HostType
    from publicsuffixlist import PublicSuffixList

URL_LENGTH_MAX = 2048  # also of the canonical form: an index entry must hold it
URL_REFUSED = sqlstate("HF002", "handfast_runs.canonicalize_url")

_EXAMPLE = "Give the address of the company's site, for example https://acme.com."
_SPACE = " \t\r\n"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PORT_FOLLOWS = re.compile(r"[0-9]+([/\\?#]|$)")
_AUTHORITY = re.compile(r"[^/\\?#]*")
_LABEL = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")
# Reserved by RFC 6761 and its like, or given by nobody and used inside networks. Not example and
# test, which are for documentation and tests, and are used there.
_INSIDE = re.compile(
    r"(.*\.)?(alt|arpa|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion"
    r"|private)",
)
_ESCAPE_OR_CHARACTER = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PLAIN_IN_PATH = frozenset("!$&'()*+,;=:@/") | _UNRESERVED
_PLAIN_IN_QUERY = frozenset("!$&()*+,;=:@/?") | _UNRESERVED


@dataclass(frozen=True, slots=True)
class CanonicalUrl:
    """A canonical URL in its parts; ``str()`` of it is what is stored and compared.

    ``host`` is in ASCII and lower case, ``port`` is None for 80 and 443, ``path`` begins with a
    slash and does not end in one, or is empty.
    """

    host: str
    port: int | None
    path: str
    query: str

    def __str__(self) -> str:
        port = "" if self.port is None else f":{self.port}"
        return f"https://{self.host}{port}{self.path}{'?' if self.query else ''}{self.query}"


def canonical_url(text: str) -> CanonicalUrl:
    """The canonical form of what somebody typed; raises ``InvalidUrl`` with what to do about it."""
    text = text.strip(_SPACE)
    if not text:
        raise InvalidUrl("The URL is empty.", hint=_EXAMPLE)
    _check_length(len(text), "The URL")
    if _CONTROL.search(text):
        raise InvalidUrl("The URL contains control characters.", hint=_EXAMPLE)
    rest = _without_scheme(text)
    if _authority(rest).rpartition("@")[0] not in ("", ":"):  # not repeated: may be a password
        raise InvalidUrl(
            "The URL contains a user name or a password.", hint=f"Leave them out. {_EXAMPLE}"
        )
    try:
        parsed = ada_url.URL(f"https://{rest}")
    except (ValueError, UnicodeEncodeError):
        raise _unparsable(text, rest) from None
    canonical = CanonicalUrl(
        host=_host(parsed),
        port=_port(parsed.port),
        path=_one_escaping(parsed.pathname, _PLAIN_IN_PATH).rstrip("/"),
        query=_query(parsed.search.removeprefix("?")),
    )
    _check_length(len(str(canonical)), "The canonical URL")
    return canonical


def refused_by_sql(error: asyncpg.PostgresError) -> InvalidUrl | None:
    """The same error when it was SQL that refused a URL; None if it says something else."""
    if error.sqlstate != URL_REFUSED:
        return None
    return InvalidUrl(str(error.args[0]), hint=getattr(error, "hint", None))


def _check_length(length: int, what: str) -> None:
    if length > URL_LENGTH_MAX:
        says = f"{what} has {length} characters, and at most {URL_LENGTH_MAX} are taken."
        raise InvalidUrl(says, hint=_EXAMPLE)


def _without_scheme(text: str) -> str:
    """From the authority on. ``acme.com:8080`` begins like a scheme, and is none."""
    found = _SCHEME.match(text)
    if found is None:
        if text[0] in "/\\" and text[1:2] not in ("/", "\\"):
            raise InvalidUrl(f"{_shown(text)} is a path and names no host.", hint=_EXAMPLE)
        rest = text
    else:
        scheme, rest = found[1].lower(), text[found.end() :]
        if scheme not in ("http", "https"):
            if rest.startswith("//") or not ("." in scheme or _PORT_FOLLOWS.match(rest)):
                raise InvalidUrl(
                    f"The scheme is {_shown(scheme)}.",
                    hint=f"Only https and http are taken. {_EXAMPLE}",
                )
            rest = text
    return rest.lstrip("/\\")


def _authority(rest: str) -> str:
    found = _AUTHORITY.match(rest)
    return found[0] if found else ""


def _unparsable(text: str, rest: str) -> InvalidUrl:
    _, colon, port = _authority(rest).rpartition("@")[2].rpartition(":")
    if colon and not (port.isascii() and port.isdigit() and int(port) <= 65535) and "]" not in port:
        return InvalidUrl(f"There is no port {_shown(port)}.", hint="Ports go from 1 to 65535.")
    return InvalidUrl(f"{_shown(text)} is not a URL.", hint=_EXAMPLE)


def _host(parsed: ada_url.URL) -> str:
    host = parsed.hostname.removesuffix(".")
    if parsed.host_type is not HostType.DEFAULT:
        about = why_not(host.strip("[]"))
        raise InvalidUrl(
            f"{host} is an IP address{f' ({about})' if about else ''}.",
            hint=f"An address may serve many companies, or another one tomorrow. {_EXAMPLE}",
        )
    if len(host) > 253 or not _NAME.fullmatch(host):
        raise InvalidUrl(f"{_shown(host)} is not the name of a host.", hint=_EXAMPLE)
    if _INSIDE.fullmatch(host):
        raise InvalidUrl(f"{_shown(host)} is a name for use inside a network only.", hint=_EXAMPLE)
    while host.startswith("www.") and not _registry_suffixes().is_public(host[4:]):
        host = host[4:]
    if _registry_suffixes().is_public(host):
        about = "is nobody's name: companies have names below it" if "." in host else "has no dot"
        raise InvalidUrl(f"{_shown(host)} {about}.", hint=_EXAMPLE)
    return host


def _port(text: str) -> int | None:
    if text == "0":
        raise InvalidUrl("There is no port 0.", hint="Ports go from 1 to 65535.")
    return None if text in ("", "80", "443") else int(text)


def _query(text: str) -> str:
    parts = _one_escaping(text, _PLAIN_IN_QUERY).split("&")
    return "&".join(sorted(p for p in parts if p and not is_tracking(p.partition("=")[0])))


def _one_escaping(text: str, plain: frozenset[str]) -> str:
    """Text in one spelling of escapes. The parser leaves those alone that somebody wrote; a % that
    begins none is one that somebody forgot to escape."""

    def spelled(found: re.Match[str]) -> str:
        part = found[0]
        if len(part) == 3:
            character = chr(int(part[1:], 16))
            return character if character in _UNRESERVED else part.upper()
        return part if part in plain else "".join(f"%{byte:02X}" for byte in part.encode())

    return _ESCAPE_OR_CHARACTER.sub(spelled, text)


@cache
def _registry_suffixes() -> PublicSuffixList:
    """The names below which registries give out names: com and co.uk, but not github.io, whose
    owner is a company with a site."""
    return PublicSuffixList(only_icann=True)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:80]}…")
