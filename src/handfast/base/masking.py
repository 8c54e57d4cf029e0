"""What may be shown of addresses that hold secrets."""

from urllib.parse import urlsplit, urlunsplit

MASK = "********"


def mask_url(url: str) -> str:
    """The address with its password (and any password in its query) masked."""
    parts = urlsplit(url)
    netloc = parts.netloc
    if parts.password is not None:
        netloc = f"{parts.username or ''}:{MASK}@{netloc.rpartition('@')[2]}"
    query = "&".join(
        f"{pair.partition('=')[0]}={MASK}" if "password" in pair.partition("=")[0] else pair
        for pair in parts.query.split("&")
    )
    return urlunsplit(parts._replace(netloc=netloc, query=query))
