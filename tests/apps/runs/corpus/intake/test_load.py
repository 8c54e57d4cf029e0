"""Files into a version: what is loaded, what is set aside and why, and what stops a load."""

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from handfast.apps.runs.corpus.generated import generate_files
from handfast.apps.runs.corpus.intake import intake
from handfast.apps.runs.corpus.intake.load import LoadOptions, load_files
from handfast.apps.runs.corpus.intake.rejects import MaxBad
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.corpus.versions.publish import publish
from handfast.apps.runs.errors import CorpusColumnsWrong, CorpusFileUnreadable, CorpusTooManyBadRows
from handfast.base.errors import ExtraMissing, InvalidRequest
from handfast.db.pool import Database
from tests.support.corpus_files import (
    INVESTORS,
    MATCHES,
    STARTUPS,
    ids,
    pairs,
    rejected,
    tables,
    three_files,
    write,
)

pytestmark = pytest.mark.on_lowest

MANY = LoadOptions(max_bad=MaxBad(share=1.0))


def listed(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_three_files_make_a_version(database: Database, tmp_path: Path) -> None:
    seen: list[str] = []
    options = LoadOptions(progress=lambda what, done, size: seen.append(what))
    loaded = await load_files(database.target, three_files(tmp_path), options)
    assert [(t.part, t.rows, t.kept, t.bad, t.rejects) for t in loaded.taken] == [
        ("startups", 3, 3, 0, None),
        ("investors", 2, 2, 0, None),
        ("matches", 6, 6, 0, None),
    ]
    assert await pairs(database, loaded.version) == [
        ("s1", "i1", 900),
        ("s1", "i2", 100),
        ("s2", "i2", 800),
        ("s2", "i1", 200),
        ("s3", "i1", 500),
        ("s3", "i2", 400),
    ]
    assert list(dict.fromkeys(seen)) == ["startups", "investors", "matches", "finishing"]
    async with database.connection() as connection:
        addresses = await connection.fetch(
            "SELECT canonical_url FROM handfast_runs.startup_uploads ORDER BY startup_id"
        )
        assert [row[0] for row in addresses] == [
            "https://acme.com",
            "https://birch.io",
            "https://cedar.co.uk",
        ]
        # Every page is marked: what reads only the index has no heap to look into.
        unmarked = await connection.fetchval(
            "SELECT count(*) FROM pg_class WHERE relname ~ '_v[0-9]+$' AND relallvisible < relpages"
        )
        assert unmarked == 0
    assert not any(path.name.endswith("rejects.csv") for path in listed(tmp_path))


async def test_csv_and_parquet_make_the_same(database: Database, tmp_path: Path) -> None:
    found = []
    for parquet in (False, True):
        generate_files(tmp_path, startups=40, investors=25, keep=10, parquet=parquet)
        ending = "parquet" if parquet else "csv"
        files = {part: tmp_path / f"{part.word}.{ending}" for part in CorpusPart}
        loaded = await load_files(database.target, files)
        assert [taken.bad for taken in loaded.taken] == [0, 0, 0]
        async with database.connection() as connection:
            found.append(
                [
                    await connection.fetch(
                        "SELECT (to_jsonb(t) - 'version')::text"
                        f" FROM handfast_runs.{part.value} AS t"
                        " WHERE version = $1 ORDER BY 1",
                        loaded.version,
                    )
                    for part in CorpusPart
                ]
            )
    assert found[0] == found[1]
    assert [len(rows) for rows in found[0]] == [40, 25, 400]


BAD_STARTUPS = b"""startup_id,name,url,sectors,raising
ok,Fine,https://fine.com,ai,100

,No id,https://a.com,,
two,"A name
over two lines",https://two.com,,
short,Ragged
long,Ragged,https://l.com,,,extra
ok,Again,https://b.com,,
same,Same address,http://www.fine.com/,,
typed,Wrong,https://c.com,,lots
latin,Caf\xe9,https://d.com,,
nul,a\0b,https://e.com,,
bad,Not a URL,javascript:alert(1),,
inside,Private,http://10.0.0.1/,,
last,Fine too,https://last.com,saas;ai,
"""


async def test_bad_rows_are_set_aside_with_their_lines(database: Database, tmp_path: Path) -> None:
    files = three_files(tmp_path)
    files[CorpusPart.STARTUPS].write_bytes(BAD_STARTUPS)
    del files[CorpusPart.MATCHES]
    loaded = await load_files(database.target, files, MANY)
    startups = loaded.taken[0]
    assert (startups.rows, startups.kept, startups.bad) == (13, 3, 10)
    assert await ids(database, CorpusPart.STARTUPS, loaded.version) == ["last", "ok", "two"]
    path = tmp_path / "startups.csv.rejects.csv"
    assert startups.rejects == str(path)
    said = dict(rejected(path))
    assert list(said) == [4, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    for line, reason in {
        4: "startup_id is empty",
        7: "it has 2 columns and the header 5",
        8: "it has 6 columns and the header 5",
        9: "startup_id 'ok' is in line 2 already",
        10: "is the address of startup 'ok' already",
        11: "raising is 'lots', not a whole number",
        12: "name is not UTF-8",
        13: "name has a NUL character",
        14: "url 'javascript:alert(1)' cannot be used",
        15: "url 'http://10.0.0.1/' cannot be used",
    }.items():
        assert reason in said[line], line
    assert b"Caf\xe9" in path.read_bytes(), "what was set aside is as it was"


async def test_pairs_that_are_unknown_or_there_twice(database: Database, tmp_path: Path) -> None:
    await publish_all(database, tmp_path)
    extra = [
        {"startup_id": "s1", "investor_id": "i1", "score": "1"},
        {"startup_id": "nobody", "investor_id": "i1", "score": "5"},
        {"startup_id": "s1", "investor_id": "nobody", "score": "5"},
        {"startup_id": "s2", "investor_id": "i1", "score": "1001"},
        {"startup_id": "s3", "investor_id": "i2", "score": "2"},
        {"startup_id": "s1", "investor_id": "i1", "score": "3"},
    ]
    file = write(tmp_path / "more.csv", [*MATCHES, *extra])
    rejects = tmp_path / "aside.csv"
    loaded = await load_files(
        database.target,
        {CorpusPart.MATCHES: file},
        LoadOptions(max_bad=MaxBad(share=1.0), rejects=rejects, replace=True),
    )
    assert dict(rejected(rejects)) == {
        9: "startup_id 'nobody' is no startup of this version",
        10: "investor_id 'nobody' is no investor of this version",
        11: "score is 1001; allowed are 0 to 1000",
        8: "the same pair is in line 2 already",
        12: "the same pair is in line 7 already",
        13: "the same pair is in line 2 already",
    }
    assert (loaded.taken[0].kept, loaded.taken[0].bad) == (6, 6)
    # The first of each pair stays, with what it said.
    assert ("s1", "i1", 900) in await pairs(database, loaded.version)
    assert len(await pairs(database, loaded.version)) == 6


async def publish_all(database: Database, folder: Path) -> int:
    loaded = await load_files(database.target, three_files(folder))
    await publish(database, loaded.version)
    return loaded.version


async def test_a_hopeless_file_is_given_up(database: Database, tmp_path: Path) -> None:
    before = await publish_all(database, tmp_path)
    kept = await tables(database)
    good = [{**STARTUPS[0], "startup_id": f"n{n}", "url": f"https://n{n}.com"} for n in range(89)]
    bad = [{**STARTUPS[0], "startup_id": ""}] * 11
    file = write(tmp_path / "new.csv", [*good, *bad])
    with pytest.raises(CorpusTooManyBadRows) as said:
        await load_files(database.target, {CorpusPart.STARTUPS: file})
    assert said.value.extra["bad"] == 11
    assert "more than 10 % of them" in said.value.detail
    assert "line 91: startup_id is empty" in said.value.detail
    assert len(rejected(tmp_path / "new.csv.rejects.csv")) == 11
    await nothing_happened(database, before, kept)
    # One more good row, and it is exactly a tenth.
    write(file, [*good, *bad[:9], {**STARTUPS[0], "startup_id": "x", "url": "https://x.com"}])
    await load_files(database.target, {CorpusPart.STARTUPS: file})


async def nothing_happened(database: Database, current: int, kept: list[str]) -> None:
    async with database.connection() as connection:
        assert (
            await connection.fetchval(
                "SELECT version FROM handfast_runs.corpus_versions WHERE state = 'current'"
            )
            == current
        )
    assert await tables(database) == kept


async def test_a_hopeless_file_is_given_up_early(database: Database, tmp_path: Path) -> None:
    row = "x,Fine,https://fine.com\n"
    file = tmp_path / "long.csv"
    file.write_text("startup_id,name,url\n" + row * 100_000)
    read: list[int] = []
    options = LoadOptions(progress=lambda _, done, __: read.append(done))
    with pytest.raises(CorpusTooManyBadRows):
        await load_files(database.target, {CorpusPart.STARTUPS: file}, options)
    assert not read, "the first block was enough"
    with pytest.raises(CorpusTooManyBadRows, match="more than 5 rows"):
        await load_files(
            database.target, {CorpusPart.STARTUPS: file}, LoadOptions(max_bad=MaxBad(None, 5))
        )


def cut_off(path: Path, folder: Path) -> Path:
    generate_files(folder, startups=300, investors=50, keep=20, parquet=True)
    whole = (folder / path.name).read_bytes()
    path = folder / f"cut-{path.name}"
    path.write_bytes(whole[: len(whole) // 2])
    return path


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"startup_id,name,url\n", "a header and no rows"),
        ("startup_id,name,url\n".encode("utf-16"), "is not UTF-8"),
        (b"caf\xe9,name,url\n", "is not UTF-8"),
        (b"\n\n", "no header"),
        (b"PAR1 and then nothing of the kind", "no Parquet file that can be read"),
    ],
)
async def test_files_that_cannot_be_read(
    database: Database, tmp_path: Path, content: bytes, says: str
) -> None:
    file = tmp_path / "startups.csv"
    file.write_bytes(content)
    with pytest.raises((CorpusFileUnreadable, CorpusColumnsWrong), match=says):
        await load_files(database.target, {CorpusPart.STARTUPS: file})
    assert await tables(database) == []


async def test_a_parquet_that_was_cut_off(database: Database, tmp_path: Path) -> None:
    file = cut_off(Path("matches.parquet"), tmp_path)
    with pytest.raises(CorpusFileUnreadable, match="cut off"):
        await load_files(database.target, {CorpusPart.MATCHES: file})


async def test_a_parquet_that_is_broken_inside(database: Database, tmp_path: Path) -> None:
    """Its end is whole, so that only reading finds out."""
    generate_files(tmp_path, startups=3000, investors=10, keep=1, parquet=True)
    file = tmp_path / "startups.parquet"
    content = bytearray(file.read_bytes())
    content[2000 : len(content) // 2] = b"\xff" * (len(content) // 2 - 2000)
    file.write_bytes(content)
    with pytest.raises(CorpusFileUnreadable):
        await load_files(database.target, {CorpusPart.STARTUPS: file})
    assert await tables(database) == []


async def test_a_parquet_with_other_types(database: Database, tmp_path: Path) -> None:
    table = pa.table(
        {
            "startup_id": pa.array([1, 2, 3], pa.int64()),
            "name": ["A", "B", None],
            "url": ["https://a.com", "https://b.com", "https://c.com"],
            "raising": pa.array([1.0, 2.5, None], pa.float64()),
            "sectors": pa.array([["ai"], None, []], pa.list_(pa.string())),
        }
    )
    pq.write_table(table, tmp_path / "startups.parquet")
    investors = write(tmp_path / "investors.csv", INVESTORS)
    files = {CorpusPart.STARTUPS: tmp_path / "startups.parquet", CorpusPart.INVESTORS: investors}
    loaded = await load_files(database.target, files, MANY)
    assert await ids(database, CorpusPart.STARTUPS, loaded.version) == ["1"]
    assert dict(rejected(tmp_path / "startups.parquet.rejects.csv")) == {
        2: "raising is 2.5, not a whole number",
        3: "name is empty",
    }


async def test_without_pyarrow_it_says_what_to_install(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExtraMissing) as said:
        await load_files(database.target, {CorpusPart.STARTUPS: tmp_path / "x.parquet"})
    assert "pip install 'handfast[parquet]'" in str(said.value.hint)


async def test_files_that_are_not_there(database: Database, tmp_path: Path) -> None:
    with pytest.raises(CorpusFileUnreadable, match="No such file"):
        await load_files(database.target, {CorpusPart.STARTUPS: tmp_path / "none.csv"})
    with pytest.raises(InvalidRequest, match="No file"):
        await load_files(database.target, {})


async def test_a_file_that_is_loaded_is_never_written_to(
    database: Database, tmp_path: Path
) -> None:
    """Where bad rows go is emptied first."""
    file = write(tmp_path / "startups.csv", [*STARTUPS, STARTUPS[0] | {"startup_id": ""}])
    twin = tmp_path / "startups.csv.rejects.csv"
    twin.write_bytes(write(tmp_path / "x.csv", INVESTORS).read_bytes())
    before = file.read_bytes(), twin.read_bytes()
    for files, options in (
        ({CorpusPart.STARTUPS: file}, LoadOptions(rejects=file)),
        ({CorpusPart.STARTUPS: file}, LoadOptions(rejects=tmp_path / "." / "startups.csv")),
        ({CorpusPart.STARTUPS: file, CorpusPart.INVESTORS: twin}, MANY),
    ):
        with pytest.raises(InvalidRequest, match="set aside"):
            await load_files(database.target, files, options)
        assert (file.read_bytes(), twin.read_bytes()) == before


async def test_a_parquet_with_a_date_that_python_does_not_have(
    database: Database, tmp_path: Path
) -> None:
    table = pa.table(
        {
            "startup_id": ["a"],
            "name": ["A"],
            "url": ["https://a.com"],
            "pitch": pa.array([2**30], pa.date32()),
        }
    )
    pq.write_table(table, tmp_path / "startups.parquet")
    with pytest.raises(CorpusFileUnreadable):
        await load_files(
            database.target, {CorpusPart.STARTUPS: tmp_path / "startups.parquet"}, MANY
        )
    assert await tables(database) == []


async def test_a_quote_that_nobody_closes(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "startups.csv"
    lines = [f"s{n},N,https://s{n}.com\n" for n in range(5)]
    file.write_text("startup_id,name,url\n" + "".join(lines) + 'q,"open,https://q.com\n')
    investors = write(tmp_path / "investors.csv", INVESTORS)
    loaded = await load_files(
        database.target, {CorpusPart.STARTUPS: file, CorpusPart.INVESTORS: investors}, MANY
    )
    assert loaded.taken[0].kept == 5
    [(line, reason)] = rejected(tmp_path / "startups.csv.rejects.csv")
    assert line == 7
    assert "the row cannot be read" in reason


async def test_what_is_given_is_merged_over_what_there_is(
    database: Database, tmp_path: Path
) -> None:
    await publish_all(database, tmp_path)
    new = [
        {"startup_id": "s2", "name": "Birch, renamed", "url": "birch.io"},
        {"startup_id": "s9", "name": "Cedar's new id", "url": "https://www.cedar.co.uk/"},
    ]
    loaded = await load_files(
        database.target, {CorpusPart.STARTUPS: write(tmp_path / "new.csv", new)}, MANY
    )
    assert loaded.carried == {"startups": 1, "investors": 2, "matches": 4}
    assert await ids(database, CorpusPart.STARTUPS, loaded.version) == ["s1", "s2", "s9"]
    async with database.connection() as connection:
        name = await connection.fetchval(
            "SELECT name FROM handfast_runs.startup_uploads WHERE version = $1 AND startup_id ="
            " 's2'",
            loaded.version,
        )
    assert name == "Birch, renamed"
    # s3's address is s9's now, so its pairs have nobody any more.
    assert {startup for startup, _, _ in await pairs(database, loaded.version)} == {"s1", "s2"}


async def test_pairs_are_merged_too(database: Database, tmp_path: Path) -> None:
    await publish_all(database, tmp_path)
    new = [{"startup_id": "s1", "investor_id": "i2", "score": "999"}]
    loaded = await load_files(database.target, {CorpusPart.MATCHES: write(tmp_path / "m.csv", new)})
    assert loaded.carried == {"startups": 3, "investors": 2, "matches": 5}
    assert (await pairs(database, loaded.version))[0] == ("s1", "i2", 999)


async def test_replace_takes_only_what_is_given(database: Database, tmp_path: Path) -> None:
    await publish_all(database, tmp_path)
    loaded = await load_files(
        database.target,
        {CorpusPart.STARTUPS: write(tmp_path / "new.csv", STARTUPS[:1])},
        LoadOptions(replace=True),
    )
    assert loaded.carried == {"investors": 2, "matches": 2}
    assert await ids(database, CorpusPart.STARTUPS, loaded.version) == ["s1"]
    assert {startup for startup, _, _ in await pairs(database, loaded.version)} == {"s1"}


async def test_memory_does_not_grow_with_the_file(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more than a block of rows is ever held."""
    generate_files(tmp_path, startups=500, investors=120, keep=100)
    held: list[int] = []
    original = intake.Intake._read

    def counted(self: intake.Intake, reader: Any, block: Any) -> Any:
        held.append(len(block.rows))
        return original(self, reader, block)

    monkeypatch.setattr(intake.Intake, "_read", counted)
    await load_files(database.target, {part: tmp_path / f"{part.word}.csv" for part in CorpusPart})
    assert sum(held) == 500 + 120 + 50_000
    assert max(held) == 20_000
