"""Errors of offers and matches."""

from handfast.base.errors import RequestError


class AlgorithmUnknown(RequestError):
    """A score or a selection that nobody registered."""

    code = "ALGORITHM_UNKNOWN"
    title = "There is no score or selection of that name"
    status = 422


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
