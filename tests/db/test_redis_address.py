"""Redis by TLS, and through Sentinels: real servers on loopback."""

import asyncio
import contextlib
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from handfast.base.settings import Settings, load_settings
from handfast.db.errors import RedisAway
from handfast.db.redis import GuardedRedis, open_redis
from handfast.db.redis_address import sentinel_address
from tests.support import tcp_servers
from tests.support.eventually import eventually, eventually_async
from tests.support.ports import free_port
from tests.support.programs import path_of
from tests.support.tls import Authority
from tests.support.valkey import Valkey

PASSWORD = "hush"  # a server's of its own, for a minute


@contextlib.contextmanager
def serving(program: Path | str, *arguments: str, folder: Path, port: int) -> Iterator[None]:
    process = subprocess.Popen(
        [program, *arguments], stdout=subprocess.DEVNULL, cwd=folder, stderr=subprocess.DEVNULL
    )

    def listens() -> bool:
        assert process.poll() is None, f"{program} ended with {process.returncode}"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        eventually(listens)
        yield
    finally:
        process.kill()
        process.wait(10)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def tls_port(tmp_path: Path, authority: Authority) -> Iterator[int]:
    """Debian's server: the one from the wheel is built without TLS."""
    authority.server("localhost")
    ca, pem, port = authority.file(), tmp_path / "localhost.1.pem", free_port()
    arguments = (
        *("--port", "0", "--tls-port", str(port), "--bind", "127.0.0.1", "--save", ""),
        *("--tls-cert-file", str(pem), "--tls-key-file", str(pem)),
        *("--tls-ca-cert-file", str(ca), "--tls-auth-clients", "no"),
    )
    with serving(path_of("redis-server"), *arguments, folder=tmp_path, port=port):
        yield port


@pytest.mark.needs("redis-server")
async def test_by_tls(tls_port: int, authority: Authority) -> None:
    url = f"rediss://localhost:{tls_port}/0?ssl_ca_certs={authority.file()}"
    async with GuardedRedis(url, call_seconds=5.0) as redis:
        assert await redis.call(lambda client: client.set("k", "v"))
        script = redis.script("return redis.call('GET', KEYS[1])")
        assert await script.run(["k"], [], read=bytes) == b"v"


@pytest.mark.needs("redis-server")
async def test_a_certificate_is_verified(tls_port: int, authority: Authority) -> None:
    """An unknown authority, another name, and no TLS at all."""
    known = f"?ssl_ca_certs={authority.file()}"
    for url in (
        f"rediss://localhost:{tls_port}/0",
        f"rediss://127.0.0.1:{tls_port}/0{known}",
        f"redis://localhost:{tls_port}/0",
    ):
        async with GuardedRedis(url, call_seconds=5.0) as redis:
            with pytest.raises(RedisAway):
                await redis.call(lambda client: client.ping())


@pytest.mark.on_every_redis
async def test_through_sentinels_and_a_failover(tmp_path: Path) -> None:
    """Two servers and a Sentinel. The master dies; we are away, and then with the other one."""
    program = Valkey(tmp_path).program
    ports = [free_port() for _ in range(3)]
    folders = [tmp_path / name for name in ("one", "two", "sentinel")]
    for folder in folders:
        folder.mkdir()
    conf = folders[2] / "sentinel.conf"
    conf.write_text(
        f"port {ports[2]}\nbind 127.0.0.1\nsentinel monitor table 127.0.0.1 {ports[0]} 1\n"
        f"sentinel auth-pass table {PASSWORD}\nsentinel down-after-milliseconds table 300\n"
        "sentinel failover-timeout table 1000\n"
    )
    usual = (
        *("--bind", "127.0.0.1", "--save", "", "--requirepass", PASSWORD),
        *("--masterauth", PASSWORD, "--repl-diskless-sync-delay", "0"),
    )
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(contextlib.ExitStack())
        first.enter_context(
            serving(program, "--port", str(ports[0]), *usual, folder=folders[0], port=ports[0])
        )
        replica = ("--port", str(ports[1]), "--replicaof", "127.0.0.1", str(ports[0]), *usual)
        stack.enter_context(serving(program, *replica, folder=folders[1], port=ports[1]))
        stack.enter_context(
            serving(program, str(conf), "--sentinel", folder=folders[2], port=ports[2])
        )
        # One Sentinel of the two is not there.
        url = f"redis+sentinel://:{PASSWORD}@127.0.0.1:1,127.0.0.1:{ports[2]}/table/0"
        async with GuardedRedis(url, call_seconds=10.0, rest_seconds=0.05) as redis:
            assert PASSWORD not in redis.shown

            async def port() -> int | None:
                with contextlib.suppress(RedisAway):
                    info = await redis.call(lambda client: client.info("server"))
                    return int(info["tcp_port"])
                return None

            assert await eventually_async(port) == ports[0]
            asked = f"redis://127.0.0.1:{ports[2]}/0"
            async with GuardedRedis(asked, call_seconds=30.0) as sentinel:

                async def knows_the_other() -> bool:
                    found = await sentinel.call(lambda client: client.sentinel_slaves("table"))
                    return [one.get("master-link-status") for one in found] == ["ok"]

                await eventually_async(knows_the_other)
            first.close()

            async def moved() -> bool:
                return await port() == ports[1]

            await eventually_async(moved)
            assert await redis.call(lambda client: client.set("k", "v")), "it may be written"


async def test_sentinels_that_are_not_there() -> None:
    async with GuardedRedis("redis+sentinel://127.0.0.1:1,127.0.0.1:2/table") as redis:
        with pytest.raises(RedisAway):
            await redis.call(lambda client: client.ping())
        assert redis.away


async def test_a_sentinel_that_is_silent_costs_one_time_limit() -> None:
    async def keep_quiet(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with tcp_servers.serving(keep_quiet) as port:
        url = f"redis+sentinel://127.0.0.1:{port}/table"
        async with GuardedRedis(url, call_seconds=0.2) as redis, asyncio.timeout(30):
            with pytest.raises(RedisAway):
                await redis.call(lambda client: client.ping())


def test_what_an_address_of_sentinels_says() -> None:
    found = sentinel_address(
        "rediss+sentinel://me:p%40ss@a.example,b.example:5000,[::1]:7/table/3"
        "?sentinel_password=other&ssl_cert_reqs=none"
    )
    assert found.nodes == [("a.example", 26379), ("b.example", 5000), ("::1", 7)]
    assert (found.service, found.username, found.password) == ("table", None, "other")
    assert found.server == "rediss://me:p%40ss@master/3?ssl_cert_reqs=none"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis+sentinel://host:26379", "names no service"),
        ("redis+sentinel://host:many/table", "Port"),
        ("redis+sentinel:///table", "has no host"),
        ("redis+sentinel://a,,b/table", "has no host"),
    ],
)
def test_what_is_no_address_of_sentinels(url: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        sentinel_address(url)
    settings = Settings(redis_url=SecretStr(url))
    assert open_redis(settings) is None, "everything works without it"


def test_the_setting_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("redis+sentinel://h/table", "rediss+sentinel://h/table", "rediss://h:1/0"):
        monkeypatch.setenv("REDIS_URL", url)
        found = load_settings().redis_url
        assert found is not None
        assert found.get_secret_value() == url
