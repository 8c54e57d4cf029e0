"""Settings of match runs and their corpus."""

import re

from pydantic import SecretStr, field_validator

from handfast.base.settings import DSN, Section, has_scheme, setting

MATCH_SIGNALS = ("sector", "stage", "geography", "cheque", "thesis", "activity")
MATCH_WEIGHT_MAX = 1000  # sums of weighted signals stay far below 32 bits
_WEIGHT = re.compile(rf"({'|'.join(MATCH_SIGNALS)})\s*=\s*([0-9]{{1,4}})")


class RunsSettings(Section):
    runs_database_url: SecretStr | None = setting(
        None,
        "the same database, for working on match runs: a login of the role handfast_runs, which "
        "only reads; the embedded PostgreSQL needs none",
        allowed=f"an address such as {DSN}",
        example="postgresql://handfast_runs:secret@db.internal:5432/handfast",
    )
    match_run_limit: int = setting(
        60,
        "match runs that one address may start in a minute; it may read ten times as many",
        allowed="a whole number from 1 to 1000000",
        example="60",
        ge=1,
        le=1_000_000,
    )
    corpus_schema: str | None = setting(
        None,
        "the schema with your own startup_uploads and investors, which are read and never changed",
        allowed="the name of a schema in the same database",
        example="crm",
        max_length=63,
    )
    match_weights: str | None = setting(
        None,
        "what each signal counts in a score; one that is not named keeps its usual weight",
        allowed=f"signal=weight with commas between; signals are {', '.join(MATCH_SIGNALS)}; "
        "weights are whole numbers from 0 to 1000 and not all 0",
        example="sector=30,activity=0",
    )
    corpus_rebuild: str | None = setting(
        None,
        "when the corpus is rebuilt by itself, in UTC; without it, never",
        allowed="a cron expression of five fields",
        example="30 2 * * *",
    )

    @field_validator("runs_database_url")
    @classmethod
    def _runs_address_is_postgres(cls, value: SecretStr | None) -> SecretStr | None:
        return has_scheme(value, "postgresql", "postgres")

    @field_validator("match_weights")
    @classmethod
    def _are_weights(cls, value: str | None) -> str | None:
        if value is not None:
            named = [_WEIGHT.fullmatch(part.strip()) for part in value.split(",")]
            weights = {found[1]: int(found[2]) for found in named if found}
            if len(weights) != len(named) or max(weights.values()) > MATCH_WEIGHT_MAX:
                raise ValueError("not signal=weight, a signal twice, or too large")
            if len(weights) == len(MATCH_SIGNALS) and not any(weights.values()):
                raise ValueError("nothing would count")
        return value
