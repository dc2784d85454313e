"""The address that a person names on the command line: usable, and fit to stand in a file."""

from ci_judge.errors import InvalidInput, Place
from ci_judge.file_schema.urls import url_mistake

_FLAG = Place(file="--url")


def endpoint_address(text: str) -> str:
    """Return the address without blanks around it. Raises InvalidInput for what is none."""
    url = text.strip()
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise InvalidInput.of(
            "the address holds credentials, which would stand in a file for everybody to read",
            hint='leave them out, and set target.headers: {Authorization: "Bearer ${CHAT_TOKEN}"}',
            place=_FLAG,
        )
    if "${" in url or "{{" in url:
        raise InvalidInput.of(
            "the address holds a placeholder, which nothing fills here",
            hint="give the address itself",
            place=_FLAG,
        )
    mistake = url_mistake(url)
    if mistake is not None:
        said, hint = mistake
        raise InvalidInput.of(said, hint=hint, place=_FLAG)
    return url
