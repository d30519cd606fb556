"""A person in front of the portal: CKAN served over HTTP, looked at with Chromium."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from ckan.tests import factories
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.ckan.servers import browser as chromium

if TYPE_CHECKING:  # only tests that look at pages start it
    from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize

WIDE: ViewportSize = {"width": 1280, "height": 900}
NARROW: ViewportSize = {"width": 390, "height": 844}
SECONDS = 10_000  # milliseconds that a page or a part of it may take
# Names under which tests play publisher; there is no other host.
HOSTS = "MAP *.test 127.0.0.1, EXCLUDE 127.0.0.1, MAP * ~NOTFOUND"
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
    f"--host-resolver-rules={HOSTS}",
    # A page that a test answered for its server counts as one of the internet, which may not ask
    # for anything on loopback.
    "--disable-features=LocalNetworkAccessChecks",
)
# What stands out of the window's side; what a frame scrolls or hides does not.
_BEYOND = """root => {
    const isFramed = (each) => {
        const above = each === root ? null : each.parentElement;
        return above && (getComputedStyle(above).overflowX !== "visible" || isFramed(above));
    };
    return [root, ...root.querySelectorAll("*")]
        .filter((each) => each.getBoundingClientRect().right > window.innerWidth)
        .filter((each) => !isFramed(each))
        .map((each) => each.outerHTML.slice(0, 100));
}"""


@dataclass
class Visitor:
    """A window of a browser on the portal.

    Attributes:
        page: playwright's; addresses without host are the portal's.
        errors: what the console says in red, and scripts that failed.
        hosts: whom the page asked for anything.
    """

    page: Page
    errors: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(SECONDS)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location['url']})")

    def beyond_the_window(self, selector: str) -> list[str]:
        """What of the elements found, and of those in them, stands out of the window's side."""
        found = self.page.locator(selector).all()
        return [each for element in found for each in element.evaluate(_BEYOND)]

    def picture(self, name: str) -> None:
        """Keep a picture of the page beside the tests' reports."""
        folder = chromium.pictures()
        # A page of ten thousand pixels takes its time beside other tests.
        self.page.screenshot(path=folder / f"{name}.png", full_page=True, timeout=60_000)


@pytest.fixture(scope="session")
def chromium_process() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    program = chromium.ensure()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield started
        started.close()


class _Quiet(WSGIRequestHandler):
    def log_request(self, *_: object) -> None:
        """Say nothing: a page is a dozen requests."""


@pytest.fixture
def site(ckan_config: dict[str, Any], make_app: Callable[[], Any]) -> Iterator[str]:
    """Address of a CKAN that serves this test's database."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host, port = listening.getsockname()
        address = f"http://{host}:{port}"
        # Pages name their own address, so it has to be known before there is an app.
        ckan_config["ckan.site_url"] = address
        serving: dict[str, Any] = {"threaded": True, "request_handler": _Quiet}
        server = make_server(host, port, make_app().app, fd=listening.fileno(), **serving)
        # What is still being answered when a test ends uses its database.
        server.daemon_threads = False
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield address
        server.shutdown()
        thread.join()  # werkzeug's server closes itself in it, and waits there for its answers


@pytest.fixture
def visitor(chromium_process: Browser, site: str) -> Iterator[Visitor]:
    """A visitor who is not logged in, with a window of 1280 by 900."""
    context = chromium_process.new_context(base_url=site, viewport=WIDE)
    page = context.new_page()
    yield Visitor(page)
    # An answer that a test was still making up comes too late for anybody.
    page.unroute_all(behavior="ignoreErrors")
    context.close()


@pytest.fixture
def manager(visitor: Visitor) -> Visitor:
    """The same as a sysadmin."""
    as_sysadmin(visitor)
    return visitor


@pytest.fixture
def plain(chromium_process: Browser, site: str) -> Iterator[Page]:
    """A sysadmin's window without scripts."""
    context = chromium_process.new_context(
        base_url=site, viewport=WIDE, java_script_enabled=False, extra_http_headers=_sysadmin()
    )
    context.set_default_timeout(SECONDS)
    yield context.new_page()
    context.close()


def as_sysadmin(visitor: Visitor) -> None:
    """Let the next pages be a sysadmin's."""
    visitor.page.context.set_extra_http_headers(_sysadmin())


def _sysadmin() -> dict[str, str]:
    """Headers of one whose picture is not fetched from another host."""
    return {"Authorization": factories.SysadminWithToken(image_url="")["token"]}
