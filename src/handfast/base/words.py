"""Texts that are one of few words, where a row holds them as plain text.

    state: Annotated[str, OneOf(JobState)]

Nothing is converted: a row is what the database answered. But whoever reads the API's description
is told the words.
"""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class OneOf:
    words: type[Enum]
