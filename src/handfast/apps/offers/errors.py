"""Errors of offers and matches."""

from handfast.base.errors import RequestError


class AlgorithmUnknown(RequestError):
    """A score or a selection that nobody registered."""

    code = "ALGORITHM_UNKNOWN"
    title = "There is no score or selection of that name"
    status = 422


class RoundDead(RequestError):
    """A round that failed is made again by a person's decision, never replaced by another."""

    code = "ROUND_DEAD"
    title = "The round of that date has failed"
    status = 409


class SnapshotGone(RequestError):
    """People stay in a snapshot for 14 days, and who is erased goes at once."""

    code = "SNAPSHOT_GONE"
    title = "What the round was computed from is not there any more"
    status = 410


class QuestionsUnfit(RequestError):
    """More questions than the arithmetic of a score is exact for."""

    code = "QUESTIONS_UNFIT"
    title = "These questions cannot be scored exactly"
    status = 422


class OfferDecided(RequestError):
    """Another action came first, or the offer's time is over."""

    code = "OFFER_DECIDED"
    title = "The offer does not take that action any more"
    status = 409
