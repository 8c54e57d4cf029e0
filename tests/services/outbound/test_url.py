"""Addresses of servers: what can be one, and what is told to whoever gives another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.services.outbound.url import URL_LENGTH_MAX, UrlUnusable, parse_url


@pytest.mark.parametrize(
    ("url", "scheme", "host", "port", "target", "host_header"),
    [
        ("https://a.example/h", "https", "a.example", 443, "/h", "a.example"),
        ("http://a.example", "http", "a.example", 80, "/", "a.example"),
        ("HTTPS://A.Example:443/H?q=1", "https", "a.example", 443, "/H?q=1", "a.example"),
        ("https://a.example:8443/", "https", "a.example", 8443, "/", "a.example:8443"),
        ("http://a.example:443/", "http", "a.example", 443, "/", "a.example:443"),
        ("https://a.example./x", "https", "a.example.", 443, "/x", "a.example."),
        ("https://bücher.example/ä", "https", "xn--bcher-kva.example", 443, "/%C3%A4", None),
        ("https://my_shop.example/", "https", "my_shop.example", 443, "/", "my_shop.example"),
        ("https://8.8.8.8/", "https", "8.8.8.8", 443, "/", "8.8.8.8"),
        ("https://[2606:4700::1]:9/x", "https", "2606:4700::1", 9, "/x", "[2606:4700::1]:9"),
        ("https://a.example/?to=http://b@c#", "https", "a.example", 443, None, "a.example"),
        ("https://a.example?to=b@c", "https", "a.example", 443, "/?to=b@c", "a.example"),
        ("https://a.example/u@v", "https", "a.example", 443, "/u@v", "a.example"),
    ],
)
def test_taken_apart(
    *, url: str, scheme: str, host: str, port: int, target: str | None, host_header: str | None
) -> None:
    parsed = parse_url(url)
    assert parsed.why_not_public() is None
    assert (parsed.scheme, parsed.host, parsed.port) == (scheme, host, port)
    assert target is None or parsed.target == target
    assert host_header is None or parsed.host_header == host_header


BAD = {
    "": "scheme",
    "a.example/h": "scheme",
    "//a.example/h": "scheme",
    "/h": "scheme",
    "ftp://a.example/": "'ftp'",
    "file:///etc/passwd": "'file'",
    "gopher://a.example/": "'gopher'",
    "javascript:alert(1)": "'javascript'",
    "unix:///var/run/docker.sock": "'unix'",
    "http:/a.example": "names no host",
    "http://": "names no host",
    "https:///x": "names no host",
    "https://?x": "names no host",
    "https://user@a.example/": "user name",
    "https://user:pass@a.example/": "user name",
    "https://:@a.example/": "user name",
    "https://@a.example/": "user name",
    "https://a.example@127.0.0.1/": "user name",
    "https://a.example\\@127.0.0.1/": "user name",
    "https://a.example\\.b.example/": "backslash",
    "https://a.example/#part": "a #",
    "https://a.example:0/": "port",
    "https://a.example:65536/": "port",
    "https://a.example:99999999/": "port",
    "https://a.example:http/": "not an address",
    "https://a.example:-1/": "",
    "https://a b.example/": "not the name",
    "https://a%2eexample/": "not the name",
    "https://%31%32%37.0.0.1/": "not the name",
    "https://-a.example/": "not the name",
    "https://a..example/": "not the name",
    "https://.example/": "not the name",
    "https://./": "not the name",
    "https://*.example/": "not the name",
    "https://" + "a" * 64 + ".example/": "not the name",
    "https://" + "a." * 130 + "example/": "not the name",
    "https://a.example/\n": "not an address",
    "https://a.example/\r\nX-Evil: 1": "not an address",
    "https://a.example/\0": "not an address",
    "https://a.example/" + "x" * URL_LENGTH_MAX: "characters",
    "https://2130706433/": "unusual spelling",
    "https://0x7f000001/": "unusual spelling",
    "https://0x7f.1/": "unusual spelling",
    "https://0177.0.0.1/": "not an address",
    "https://127.1/": "unusual spelling",
    "https://127.0.1/": "unusual spelling",
    "https://127.0.0.1./": "unusual spelling",
    "https://1.2.3.4.5/": "unusual spelling",
    "https://256.1.1.1/": "not an address",
    "https://0x/": "unusual spelling",
    "https://127.0.0.0x1/": "unusual spelling",
    "https://[::ffff:7f00:1/": "",
    "https://[nonsense]/": "not an address",
    "https://１２７.0.0.1/": "not an address",  # noqa: RUF001  # full width
    "https://①②⑦.0.0.1/": "not an address",
    "https://ⓔxample.com/": "not an address",
}


@pytest.mark.parametrize("url", BAD, ids=lambda url: repr(url)[:60])
def test_what_no_request_can_go_to_is_refused(url: str) -> None:
    with pytest.raises(UrlUnusable) as refused:
        parse_url(url)
    assert BAD[url] in refused.value.detail
    assert refused.value.hint


def test_a_password_is_not_repeated() -> None:
    with pytest.raises(UrlUnusable) as refused:
        parse_url("https://user:hunter2@a.example/")
    assert "hunter2" not in str(refused.value)


PRIVATE = [
    *("http://127.0.0.1/", "http://localhost/", "http://LOCALHOST:8080/", "http://localhost./"),
    *("http://api.localhost/", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data"),
    *("http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[fd00::1]/", "http://[::]/"),
    *("http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://0.0.0.0/"),
    "https://[::1%25lo]/",
]


@pytest.mark.parametrize("url", PRIVATE)
def test_what_is_private_is_known_at_first_sight(url: str) -> None:
    assert parse_url(url).why_not_public()


@given(st.text(max_size=60).map(lambda text: f"https://{text}"))
def test_any_text_is_an_address_or_a_clear_error(url: str) -> None:
    try:
        parsed = parse_url(url)
    except UrlUnusable:
        return
    assert parsed.host
    assert parsed.host.isascii()
    assert parsed.target.startswith("/")
    assert parsed.target.isascii()
    assert parsed.target.isprintable()
