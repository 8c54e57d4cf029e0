"""Errors of people: profiles, photos, questions, verification, exports."""

from handfast.base.errors import RequestError
from handfast.db.errors import ConstraintViolated


class ProfileInvalid(RequestError):
    """A field of the profile holds what it cannot."""

    code = "PROFILE_INVALID"
    title = "The profile cannot have that"
    status = 422


class AgesOutOfOrder(ConstraintViolated):
    """Found by the database: the other bound may have been changed a moment ago."""

    code = "AGES_OUT_OF_ORDER"
    title = "The lowest age is above the highest"
    status = 422


class FixedOnceVerified(RequestError):
    code = "FIXED_ONCE_VERIFIED"
    title = "That is fixed since the person was verified"
    status = 409


class PreferencesTooMany(RequestError):
    code = "PREFERENCES_TOO_MANY"
    title = "A user has no room for so many preferences"
    status = 409


class AnswerInvalid(RequestError):
    """An answer does not fit its question."""

    code = "ANSWER_INVALID"
    title = "That is no answer to the question"
    status = 422


class QuestionsMoved(RequestError):
    code = "QUESTIONS_MOVED"
    title = "There is another version of the questions"
    status = 409


class PhotoError(RequestError):
    code = "PHOTO_ERROR"
    title = "The photo cannot be taken"
    status = 422


class PhotoUnreadable(PhotoError):
    """No JPEG, PNG or WebP, whatever it calls itself; or one that does not decode."""

    code = "PHOTO_UNREADABLE"
    title = "That is not a picture we can read"


class PhotoTooLarge(PhotoError):
    code = "PHOTO_TOO_LARGE"
    title = "The picture is too large"
    status = 413


class PhotoKnown(ConstraintViolated):
    code = "PHOTO_KNOWN"
    title = "That photo is there already"
    status = 409


class PhotosTooMany(PhotoError):
    code = "PHOTOS_TOO_MANY"
    title = "A user has no room for another photo"
    status = 409


class PhotosBusy(PhotoError):
    """Nothing was done: the helper that checks pictures did not answer in time, or died."""

    code = "PHOTOS_BUSY"
    title = "Pictures cannot be checked at the moment"
    status = 503


class VerificationError(RequestError):
    code = "VERIFICATION_ERROR"
    title = "Verification cannot go on like that"
    status = 409


class VerificationBlocked(VerificationError):
    code = "VERIFICATION_BLOCKED"
    title = "Verification has failed too often"


class VerificationOver(VerificationError):
    code = "VERIFICATION_OVER"
    title = "The verification session has ended"


class VerificationNotReady(VerificationError):
    code = "VERIFICATION_NOT_READY"
    title = "Something is missing before verification can go on"


class ExportTooSoon(RequestError):
    code = "EXPORT_TOO_SOON"
    title = "One export a day"
    status = 429
