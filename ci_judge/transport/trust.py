"""Which certificates are trusted: the usual authorities, and those that the user adds."""

import ssl
from collections.abc import Mapping

from ci_judge.errors import InvalidInput


def plain_context() -> ssl.SSLContext:
    """Return a context that trusts nobody, for origins without TLS (loading roots is slow)."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def trusting_context(environment: Mapping[str, str], *, ca_bundle: str | None) -> ssl.SSLContext:
    """Return the context for TLS.

    ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` replace the usual authorities, ``ca_bundle`` adds to
    them, so that one private endpoint does not make public ones unknown.
    """
    file = environment.get("SSL_CERT_FILE") or None
    folder = environment.get("SSL_CERT_DIR") or None
    if file or folder:
        context = ssl.create_default_context(cafile=file, capath=folder)
    else:
        import httpx  # noqa: PLC0415 - a file of certificates is checked where nothing is sent

        context = httpx.create_ssl_context(trust_env=False)
    if ca_bundle:
        context.load_verify_locations(cafile=ca_bundle)
    return context


def check_bundle(path: str | None, *, named: str) -> None:
    """Raise InvalidInput when a file of certificates cannot be used."""
    if not path:
        return
    try:
        plain_context().load_verify_locations(cafile=path)
    except OSError as error:
        why = "holds no PEM certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise InvalidInput.of(
            f"{named} names '{path}', which cannot be used: {why}",
            hint="give the path of a PEM file with the certificates to trust",
        ) from None
