"""What ``REDIS_URL`` may be: one server by TCP, TLS or a socket, or the master that Sentinels name.

    redis://[user:password@]host:6379/0
    rediss://host:6380/0?ssl_ca_certs=/path/to/ca.pem          TLS; the certificate is verified
    unix:///path/to/socket?db=0
    redis+sentinel://[user:password@]host:26379,host:26379/service/0
    rediss+sentinel://…                                        TLS to the Sentinels and the master

The query takes what the library's own addresses take; ``sentinel_username`` and
``sentinel_password`` are for the Sentinels, who have accounts of their own.
"""

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import msgspec

from handfast.base.extras import extra

if TYPE_CHECKING:  # slow to import, and rarely needed
    from redis.asyncio import Redis
    from redis.asyncio.sentinel import Sentinel

SENTINEL = "+sentinel"
SENTINEL_PORT = 26379
CONNECTIONS_MAX = 50
_FOR_SENTINELS = ("sentinel_username", "sentinel_password")


class SentinelAddress(msgspec.Struct, frozen=True):
    """``server`` is the address of the master but for its host, which the Sentinels know."""

    nodes: list[tuple[str, int]]
    service: str
    server: str
    username: str | None
    password: str | None


def client_of(url: str, call_seconds: float) -> tuple["Redis", "Sentinel | None"]:
    """Connects to nothing yet; ``ValueError`` if it is not an address. Nothing is repeated by the
    library: a script that was sent twice would count twice."""
    with extra("redis"):
        import redis.asyncio as library  # noqa: PLC0415
        from redis.asyncio.retry import Retry  # noqa: PLC0415
        from redis.backoff import NoBackoff  # noqa: PLC0415

    options: dict[str, Any] = {
        "socket_timeout": call_seconds,
        "socket_connect_timeout": call_seconds,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,  # which every version of every Redis speaks, without being asked first
    }
    if SENTINEL in urlsplit(url).scheme:
        return _through_sentinels(sentinel_address(url), options, call_seconds)
    pool = library.BlockingConnectionPool.from_url(
        url, max_connections=CONNECTIONS_MAX, timeout=call_seconds, **options
    )
    return library.Redis.from_pool(pool), None


def _through_sentinels(
    address: SentinelAddress, options: dict[str, Any], call_seconds: float
) -> tuple["Redis", "Sentinel"]:
    with extra("redis"):
        import redis.asyncio as library  # noqa: PLC0415
        from redis.asyncio.connection import parse_url  # noqa: PLC0415
        from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool  # noqa: PLC0415

    server = {**options, **parse_url(address.server)}
    is_tls = server.pop("connection_class", None) is not None
    tls = {name: value for name, value in server.items() if name.startswith("ssl_")}
    del server["host"]  # the Sentinels know
    # One Sentinel that does not answer must leave time for the next, and for the master.
    seconds = call_seconds / (len(address.nodes) + 1)
    nodes = {
        **options,
        **tls,
        "socket_timeout": seconds,
        "socket_connect_timeout": seconds,
        "ssl": is_tls,
        "username": address.username,
        "password": address.password,
    }
    sentinel = Sentinel(address.nodes, sentinel_kwargs=nodes)  # type: ignore[no-untyped-call]
    pool = SentinelConnectionPool(  # type: ignore[no-untyped-call]
        address.service, sentinel, ssl=is_tls, **server
    )
    return library.Redis.from_pool(pool), sentinel


def sentinel_address(url: str) -> SentinelAddress:
    """``ValueError`` says what is wrong with it."""
    parts = urlsplit(url)
    account, _, hosts = parts.netloc.rpartition("@")
    service, _, db = parts.path.strip("/").partition("/")
    if not service:
        raise ValueError("it names no service: redis+sentinel://host:26379/service")
    query = parse_qs(parts.query)
    ours = {name: query.pop(name)[0] for name in _FOR_SENTINELS if name in query}
    server = urlunsplit(
        (
            parts.scheme.removesuffix(SENTINEL),
            f"{account}@master" if account else "master",
            f"/{db}" if db else "",
            urlencode(query, doseq=True),
            "",
        )
    )
    return SentinelAddress(
        [_node(host) for host in hosts.split(",")],
        service,
        server,
        ours.get("sentinel_username"),
        ours.get("sentinel_password"),
    )


def _node(text: str) -> tuple[str, int]:
    found = urlsplit(f"//{text}")
    if not found.hostname:
        raise ValueError("a Sentinel has no host: redis+sentinel://host:26379,host:26379/service")
    return found.hostname, found.port or SENTINEL_PORT
