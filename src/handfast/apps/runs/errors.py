"""Errors of match runs and of the corpus that they answer from."""

from handfast.base.errors import DatabaseError, HandfastError, RequestError


class RunsLoginUnfit(DatabaseError):
    """The login that match runs are worked on with may do too much, or too little."""

    code = "RUNS_LOGIN_UNFIT"
    title = "Match runs cannot be worked on with that database login"


class CorpusError(HandfastError):
    code = "CORPUS_ERROR"
    title = "The corpus cannot be changed like that"
    status = 409
    exit_code = 9


class CorpusBuildLost(CorpusError):
    """The builder's lock went while it built; what it built may be gone, and is not used."""

    code = "CORPUS_BUILD_LOST"
    title = "The build of a version was taken over"


class CorpusBusy(CorpusError):
    code = "CORPUS_BUSY"
    title = "Another version of the corpus is being built"


class CorpusColumnsWrong(CorpusError):
    code = "CORPUS_COLUMNS_WRONG"
    title = "The columns are not those of the corpus"
    status = 422


class CorpusFileUnreadable(CorpusError):
    code = "CORPUS_FILE_UNREADABLE"
    title = "The file cannot be read"
    status = 422


class CorpusMoved(CorpusError):
    """Readers were switched by somebody else between the look and the switch."""

    code = "CORPUS_MOVED"
    title = "Another version became current meanwhile"


class CorpusRefused(CorpusError):
    """The guardian refused a version; ``extra`` has the ``version``."""

    code = "CORPUS_REFUSED"
    title = "The version was refused"


class CorpusTooManyBadRows(CorpusError):
    code = "CORPUS_TOO_MANY_BAD_ROWS"
    title = "Too many rows are bad"
    status = 422


class CorpusVersionUnusable(CorpusError):
    code = "CORPUS_VERSION_UNUSABLE"
    title = "There is no such version to read"


class CorpusRetired(RequestError):
    """The run is ready, and the version of the corpus that it answers from is no longer kept."""

    code = "CORPUS_RETIRED"
    title = "The run's version of the corpus is no longer kept"
    status = 410


class InvalidUrl(RequestError):
    """What was given as the URL of a startup cannot be one."""

    code = "INVALID_URL"
    title = "The URL cannot be that of a startup"
    status = 422
