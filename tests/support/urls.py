"""URLs of startups, varied and seeded; changes that mean nothing; and the odd ones."""

import random
import string
from collections.abc import Callable, Iterator

_TLDS = [
    "com",
    "io",
    "ai",
    "co",
    "co.uk",
    "com.br",
    "dev",
    "app",
    "de",
    "x.kawasaki.jp",
    "xyz",
    "co.ck",
]
_HOSTED = ["github.io", "vercel.app", "web.app", "s3.amazonaws.com", "myshopify.com"]
_ODD_IN_PATH = [*"!$&'()*+,;=:@-._~^|`{}<>\"[] äß語🚀", "%41", "%2f", "%zz", "%", "%7e"]
_NAMES = ["q", "page", "id", "lang", "a", "b", "A", "x-y", "tab", "%61", "sort[]", ""]


def label(rng: random.Random) -> str:
    inner = "".join(rng.choices(string.ascii_lowercase + string.digits + "-", k=rng.randint(0, 12)))
    return f"{rng.choice(string.ascii_lowercase)}{inner}{rng.choice(string.ascii_lowercase)}"


def host(rng: random.Random) -> str:
    below = [label(rng) for _ in range(rng.choice([1, 1, 1, 1, 2, 2, 3]))]
    return ".".join([*below, rng.choice(_TLDS if rng.random() < 0.85 else _HOSTED)])


def word(rng: random.Random) -> str:
    some = "".join(rng.choices(string.ascii_letters + string.digits, k=rng.randint(1, 7)))
    return (rng.choice(_ODD_IN_PATH) if rng.random() < 0.25 else "") + some


def path(rng: random.Random) -> str:
    segments = [word(rng) for _ in range(rng.choice([0, 0, 1, 1, 2, 3, 5]))]
    if segments and rng.random() < 0.1:
        segments.insert(rng.randrange(len(segments)), rng.choice(["..", ".", "", "%2e", "%2E."]))
    return "".join(f"/{segment}" for segment in segments)


def query(rng: random.Random) -> str:
    pairs = [
        rng.choice(_NAMES) + rng.choice(["", "=", f"={word(rng)}", f"={word(rng)}"])
        for _ in range(rng.choice([0, 0, 0, 1, 2, 3]))
    ]
    return "&".join(pair for pair in pairs if pair.replace("?", "").replace("#", ""))


def varied(count: int, seed: int = 5) -> Iterator[str]:
    """That many URLs of different places, each with a scheme, in the way that people write them."""
    rng = random.Random(seed)  # noqa: S311
    for number in range(count):
        port = f":{rng.randint(1024, 65535)}" if rng.random() < 0.1 else ""
        asked = query(rng)
        mark = "?" if asked else ""
        scheme = rng.choice(["http", "https"])
        yield f"{scheme}://s{number}-{host(rng)}{port}{path(rng)}{mark}{asked}"


def _apart(url: str) -> tuple[str, str, str, str]:
    """Scheme, authority, path, query, of a URL that ``varied`` made."""
    scheme, _, rest = url.partition("://")
    rest, _, asked = rest.partition("?")
    authority, slash, where = rest.partition("/")
    return scheme, authority, slash + where, asked


def _whole(scheme: str, authority: str, where: str, asked: str) -> str:
    return f"{scheme}{authority}{where}{'?' if asked else ''}{asked}"


def _with(**changes: Callable[[str], str]) -> Callable[[str], str]:
    def change(url: str) -> str:
        parts = dict(zip(("scheme", "authority", "where", "asked"), _apart(url), strict=True))
        parts["scheme"] += "://"
        for name, how in changes.items():
            parts[name] = how(parts[name])
        return _whole(**parts)

    return change


def _default_port(url: str) -> str:
    scheme, authority, where, asked = _apart(url)
    if ":" not in authority:
        authority += ":80" if scheme == "http" else ":443"
    return _whole(f"{scheme}://", authority, where, asked)


def _tracked(asked: str) -> str:
    return "&".join(["utm_source=x", *([asked] if asked else []), "fbclid=Iw%20A", "REF=ph"])


# The nine kinds of change that mean nothing.
HARMLESS: dict[str, Callable[[str], str]] = {
    "scheme": _with(scheme=lambda s: "HTTP://" if s == "https://" else "https://"),
    "www": _with(authority=lambda a: f"www.{a}"),
    "port": _default_port,
    "case": _with(authority=str.upper),
    "slash": _with(where=lambda w: f"{w}/"),
    "fragment": lambda url: f"{url}#top?x=/..",
    "tracking": _with(asked=_tracked),
    "order": _with(asked=lambda a: "&".join(reversed(a.split("&")))),
    "no scheme": _with(scheme=lambda _: ""),
}

# Taken, though strange. What the parser of browsers makes of them, SQL must as well.
ODD = [
    "https:acme.com",
    "https:/acme.com",
    "https:////acme.com//",
    r"https:\\acme.com\a\b",
    r"\\acme.com\a",
    "//acme.com/a",
    "HtTpS://aCmE.cOm./A/../B/./c/..",
    "https://acme.com/a/%2e%2E/b/%2e",
    "https://acme.com/../../..",
    "https://acme.com/a//../b///",
    "https://acme.com//a",
    "acme.com:8080",
    "acme.com:8080/x?y",
    "acme.com:443/x",
    "http://acme.com:443",
    "https://acme.com:80",
    "https://acme.com:",
    "https://acme.com:00080/",
    "https://acme.com:065535/",
    "acme.com:/x",
    "acme.com:?x",
    "acme.com?b&a&&c=",
    "acme.com?=&=1&?",
    "acme.com/?",
    "acme.com/#",
    "acme.com#a?b",
    "acme.com?a#b?c#d",
    "acme.com/a?b=https://x.com/?c=d",
    "acme.com/http://other.com",
    "https://%61cme%2ecom/",
    "https://www.www.acme.com",
    "https://www.co.uk",
    "https://www.acme.co.uk",
    "https://www.com.com",
    "https://www.com",
    "https://www.ck",
    "https://www.acme",
    "https://carrd.co/pricing",
    "https://www.github.io",
    "https://xn--bcher-kva.example/ü?ä=ö",
    "https://XN--BCHER-KVA.example",
    "https://a_b.acme.com",
    "https://r3---sn-x.acme.com",
    "  https://acme.com \r\n",
    "https://acme.com/a b/c\u00a0d",
    "https://acme.com/%zz/%/%4/%%34%31/100%",
    "https://acme.com/%7Euser/%c3%a4/ä/a\u0308",
    "https://acme.com/a|b^c`d{e}f\"g<h>[i]'j;k=l",
    "https://acme.com/?a|b^c`d{e}f\"g<h>[i]'j;k=l\\m",
    "https://acme.com/?a=1&a=1&a=0&B=2&b=2&%62=3",
    "https://acme.com/?UTM_Source=1&%75tm_medium=2&utm=3&reference=4&gclid&x",
    "https://acme.com/🚀/\U0010ffff/\ue000\ufffd",
    "https://" + "a" * 63 + ".com",
    "https://acme.com/" + "x" * 2031,
]

# Refused, and why.
BAD = {
    "": "empty",
    " \t\n": "empty",
    "hello world": "not a URL",
    "https://": "not a URL",
    "https:///": "not a URL",
    "?a=b": "not a URL",
    "#a": "not a URL",
    "/pricing": "a path",
    "\\pricing": "a path",
    "javascript:alert(1)": "scheme",
    "JavaScript://acme.com/%0aalert(1)": "scheme",
    "data:text/html,<p>": "scheme",
    "mailto:jo@acme.com": "scheme",
    "ftp://acme.com/": "scheme",
    "file:///etc/passwd": "scheme",
    "blob:https://acme.com/1": "scheme",
    "view-source:https://acme.com": "scheme",
    "acme.com://x": "scheme",
    "user:secret@acme.com": "scheme",
    "https://user:secret@acme.com": "user name or a password",
    "https://user@acme.com": "user name or a password",
    "https://::@acme.com": "user name or a password",
    "https://@@acme.com": "user name or a password",
    "https://:@:@acme.com": "user name or a password",
    "https://@": "not a URL",
    "https://:@/acme.com": "not a URL",
    "jo@acme.com": "user name or a password",
    "https://a@b@acme.com/": "user name or a password",
    "http://127.0.0.1/": "loopback",
    "http://10.1.2.3": "private",
    "192.168.0.1:8080/x": "private",
    "http://169.254.169.254/latest": "link-local",
    "http://2130706433/": "loopback",
    "http://0x7f000001": "loopback",
    "http://0x7f.1": "loopback",
    "http://0177.0.0.01/": "loopback",
    "http://127.1.": "loopback",
    "http://0": "unspecified",
    "http://%31%32%37.0.0.1": "loopback",
    "http://[::1]/": "loopback",
    "http://[fe80::1]": "link-local",
    "http://[fc00::1]:80": "private",
    "http://[::ffff:127.0.0.1]": "IPv4 address in IPv6 clothes",
    "http://[::ffff:a00:1]/": "IPv4 address in IPv6 clothes",
    "http://8.8.8.8": "IP address",
    "http://[2606:4700::1111]/": "IP address",
    "http://1.2.3.4.5": "not a URL",
    "http://256.1.1.1": "not a URL",
    "http://acme.0x": "not a URL",
    "http://[::1": "not a URL",
    "http://[1::2::3]": "not a URL",
    "localhost": "inside a network",
    "localhost:3000": "inside a network",
    "http://www.localhost./": "inside a network",
    "http://db.prod.internal": "inside a network",
    "http://printer.local": "inside a network",
    "http://router.home.arpa": "inside a network",
    "http://abc.onion": "inside a network",
    "acme": "no dot",
    "https://acme/": "no dot",
    "https://com": "no dot",
    "https://co.uk": "nobody's name",
    "https://foo.ck": "nobody's name",
    "https://.acme.com": "not the name of a host",
    "https://acme..com": "not the name of a host",
    "https://acme.com..": "not the name of a host",
    "https://-acme.com": "not the name of a host",
    "https://acme-.com": "not the name of a host",
    "https://acme!.com": "not the name of a host",
    "https://ac me.com": "not a URL",
    "https://acme.com%00": "not a URL",
    "https://acme.com%2Fx": "not a URL",
    "https://a<b.com": "not a URL",
    "https://" + "a" * 64 + ".com": "not the name of a host",
    "https://" + "a.b." * 63 + "acme.com": "not the name of a host",
    "https://acme.com:65536": "no port",
    "https://acme.com:0": "no port",
    "https://acme.com:-1": "no port",
    "https://acme.com:8o": "no port",
    "https://acme.com:80:90": "not a URL|no port",
    "https://acme.com:99999999999999999999": "no port",
    "https://acme.com/\x07": "control",
    "https://ac\tme.com": "control",
    "https://acme.com/\n/x": "control",
    "https://acme.com/\x7f": "control",
    "https://acme.com/\x9f": "control",
    "https://acme.com/" + "x" * 2032: "2049 characters",
    "https://acme.com/" + "ä" * 600: "canonical URL has 3617 characters",
    "x" * 10_000: "10000 characters",
}
