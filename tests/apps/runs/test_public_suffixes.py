"""The public-suffix list in SQL is the one that Python reads."""

import asyncpg
from publicsuffixlist import PublicSuffixList

from tests.support import public_suffixes


def test_the_file_is_up_to_date() -> None:
    """After an upgrade of publicsuffixlist: ./run snapshot."""
    assert public_suffixes.FILE.read_text() == public_suffixes.written()


async def test_sql_and_python_say_the_same(reader: "asyncpg.Connection") -> None:
    """For every rule of the list, for what is above it and for two labels below."""
    registries, everybody = PublicSuffixList(only_icann=True), PublicSuffixList()
    hosts = {"com", "nosuchtld", "acme.nosuchtld", "acme.com"}
    for rule in everybody._publicsuffix:
        name = rule.lstrip("!").removeprefix("*.")
        if name.isascii():
            hosts |= {name, name.partition(".")[2] or name, f"a.{name}", f"a.b.{name}"}
    names = sorted(hosts)
    assert len(names) > 20_000
    answers = await reader.fetch(
        "SELECT handfast_runs.suffix_section(host) FROM unnest($1::text[]) "
        "WITH ORDINALITY AS h(host, place) ORDER BY place",
        names,
    )
    said = {name: answer for name, (answer,) in zip(names, answers, strict=True)}
    assert {name: answer for name, answer in said.items() if answer == "icann"} == {
        name: "icann" for name in names if registries.is_public(name)
    }
    assert [name for name in names if (said[name] is not None) != everybody.is_public(name)] == []
