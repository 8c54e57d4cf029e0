"""Errors of sign-ins, codes and tokens."""

from handfast.base.errors import Conflict, NotAllowed, NotAuthenticated, RequestError


class AccountSuspended(NotAllowed):
    """``actionId`` is what an appeal names; ``until`` is null for a suspension without an end."""

    code = "ACCOUNT_SUSPENDED"
    title = "The account is suspended"


class AlreadySuspended(Conflict):
    code = "ALREADY_SUSPENDED"
    title = "The account is suspended already"


class NotSuspended(Conflict):
    code = "NOT_SUSPENDED"
    title = "The account is not suspended"


class InsufficientScope(NotAllowed):
    code = "INSUFFICIENT_SCOPE"
    title = "The token is not for this"


class OtpInvalid(NotAuthenticated):
    """Wrong, expired, used, tried too often: nobody is told which."""

    code = "OTP_INVALID"
    title = "The code is wrong or has expired"


class PhoneNotUsable(RequestError):
    code = "PHONE_NOT_USABLE"
    title = "No code can be sent to that number"
    status = 422


class RefreshTokenExpired(NotAuthenticated):
    code = "REFRESH_TOKEN_EXPIRED"
    title = "The refresh token has expired"


class RefreshTokenReused(NotAuthenticated):
    """Somebody has used it before, or from another device: the sign-in is ended."""

    code = "REFRESH_TOKEN_REUSED"
    title = "The refresh token was used before"


class RefreshTokenRevoked(NotAuthenticated):
    code = "REFRESH_TOKEN_REVOKED"
    title = "The sign-in of this refresh token has ended"


class SessionExpired(NotAuthenticated):
    code = "SESSION_EXPIRED"
    title = "The sign-in has expired"


class TokenExpired(NotAuthenticated):
    code = "TOKEN_EXPIRED"
    title = "The access token has expired"


class TokenInvalid(NotAuthenticated):
    """Malformed, signed by nobody we know, or meant for somebody else."""

    code = "TOKEN_INVALID"
    title = "The token cannot be accepted"


class TokenRevoked(NotAuthenticated):
    code = "TOKEN_REVOKED"
    title = "The sign-in of this token has ended"
