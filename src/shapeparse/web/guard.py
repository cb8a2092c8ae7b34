"""What surrounds every request: an id, limits on bytes and time, safe headers, one line in the log.

The limits hold while a request is being received. A length that the client declares is believed only when it is too
large; a client that declares none, or lies, is cut off at the same place.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..support.errors import UserError
from .answers import Refusal, busy
from .settings import ServiceSettings

LOG = logging.getLogger("shapeparse.web")

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
LEFT = 499
"""In the log, for a client that did not wait for its answer; it is never sent."""
LINGER_SECONDS, LINGER_BYTES = 2.0, 16_000_000
"""How long, and how much, is still read of a request that was answered before its end: a client that is cut off while
it sends may never see the answer."""
OWN_SITES = ("same-origin", "none")
"""What Sec-Fetch-Site says of a request by a page of the service itself, or by a person."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
"""Of every answer that does not bring its own."""


class Guard:
    """The outermost ASGI application around the service."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self.app, self.settings = app, settings
        self.buffered = 0
        """Bytes of all requests under way."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through to the application, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = Exchange(self, scope, receive, send)
        try:
            exchange.check()
            # Whoever may GET something may ask for its HEAD; the server leaves the body out.
            method = "GET" if scope["method"] == "HEAD" else scope["method"]
            await self.app({**scope, "method": method}, exchange.receive, exchange.send)
        except ClientDisconnect:
            exchange.status = exchange.status or LEFT
        except Refusal as refusal:
            await exchange.refuse(refusal)
        except UserError as error:
            await exchange.refuse(Refusal(422, str(error)))
        except Exception:
            LOG.exception("%s failed", exchange.id)
            await exchange.refuse(Refusal(500, f"Something is wrong in shapeparse; its log has {exchange.id}."))
        finally:
            self.buffered -= exchange.received
            LOG.info("%s", exchange.line())


class Exchange:
    """One request and its answer."""

    def __init__(self, guard: Guard, scope: Scope, receive: Receive, send: Send) -> None:
        self._guard, self._scope, self._receive, self._send = guard, scope, receive, send
        self._headers = Headers(scope=scope)
        self._start = perf_counter()
        given = self._headers.get("x-request-id", "")
        self.id = given if REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        self.status, self.received, self.sent = 0, 0, 0
        length = self._headers.get("content-length", "0")
        self._unread = length != "0" or "transfer-encoding" in self._headers
        """Whether there is more of the request to come."""
        self._started = False

    def check(self) -> None:
        """Refuse what can be refused before anything is read."""
        settings, headers = self._guard.settings, self._headers
        host = re.sub(r":\d*$", "", headers.get("host", "")).lower()
        if settings.hosts is not None and host not in settings.hosts:
            raise Refusal(403, f"The service does not answer to the name {host[:100]!r}; use the address it printed.")
        if not self._is_from_own_page():
            raise Refusal(403, "Web pages of other sites may not use this service.")
        if "content-length" in headers and "transfer-encoding" in headers:
            raise Refusal(400, "The request has two lengths, Content-Length and Transfer-Encoding; send one of them.")
        declared = headers.get("content-length", "0")
        if declared.isdecimal() and (len(declared) > 15 or int(declared) > settings.max_bytes):
            raise self._too_large()

    async def receive(self) -> Message:
        """The next piece of the request, within the limits."""
        settings = self._guard.settings
        left = settings.upload_seconds - (perf_counter() - self._start)
        patience = max(min(settings.idle_seconds, left), 0) if self._unread else None
        try:
            message = await asyncio.wait_for(self._receive(), patience)
        except asyncio.TimeoutError:
            raise Refusal(408, "The request took too long to arrive; send it again, or a smaller one.") from None
        size = len(message.get("body", b""))
        self._unread = message["type"] == "http.request" and message.get("more_body", False)
        if self.received + size > settings.max_bytes:
            raise self._too_large()
        if self._guard.buffered + size > settings.max_buffered:
            raise busy("Too much is being uploaded at once")
        self.received += size
        self._guard.buffered += size
        return message

    async def send(self, message: Message) -> None:
        """Pass a piece of the answer on, with the headers every answer has."""
        if message["type"] == "http.response.start":
            self._started, self.status = True, message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers["X-Request-Id"] = self.id
            if self._unread:
                headers["Connection"] = "close"
        elif message["type"] == "http.response.body":
            self.sent += len(message.get("body", b""))
            if self._unread and not message.get("more_body", False):
                await self._send({**message, "more_body": True})
                await self._linger()
                message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with a refusal, if nothing was answered yet."""
        if not self._started:
            await refusal.response()(self._scope, self._receive, self.send)

    def line(self) -> str:
        """What the log says of it: id, method, path, status, milliseconds, bytes received and sent."""
        path = self._scope.get("raw_path") or self._scope["path"].encode()
        shown = re.sub(rb"[^!-~]", b"?", path.partition(b"?")[0])[:200].decode()
        method = re.sub(r"[^A-Z]", "?", self._scope["method"])[:20]
        milliseconds = 1000 * (perf_counter() - self._start)
        return f"{self.id} {method} {shown} {self.status} {milliseconds:.0f}ms {self.received}B {self.sent}B"

    async def _linger(self) -> None:
        dropped, end = 0, perf_counter() + LINGER_SECONDS
        while self._unread and dropped < LINGER_BYTES and (left := end - perf_counter()) > 0:
            try:
                message = await asyncio.wait_for(self._receive(), left)
            except asyncio.TimeoutError:
                return
            dropped += len(message.get("body", b""))
            self._unread = message["type"] == "http.request" and message.get("more_body", False)

    def _is_from_own_page(self) -> bool:
        """Whether the request comes from no page at all, or from one of the service's own.

        Old browsers send no Sec-Fetch-Site, and none sends an Origin when a link is followed, so each is asked where it
        is there. Behind a proxy the scheme may have changed, so only the name and the port of an Origin count.
        """
        host = self._headers.get("host", "").lower()
        own = {f"{scheme}://{host}" for scheme in ("http", "https")}
        sites = self._headers.getlist("sec-fetch-site") if self._scope["method"] == "POST" else []
        return all(site in OWN_SITES for site in sites) and all(
            origin.lower() in own for origin in self._headers.getlist("origin")
        )

    def _too_large(self) -> Refusal:
        limit = self._guard.settings.max_bytes
        return Refusal(413, f"The request is larger than {limit:,} bytes; send a smaller photograph.")
