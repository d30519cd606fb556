"""Browser tests: CKAN served over HTTP, and windows of Chromium."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from ckan.tests import factories
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.test import TestResponse, run_wsgi_app
from werkzeug.wrappers import Request

from tests.ckan.servers import browser as chromium

if TYPE_CHECKING:  # only tests of pages start it
    from playwright.sync_api import Browser, ConsoleMessage, Page, Route, ViewportSize

WIDE: ViewportSize = {"width": 1280, "height": 900}
MIDDLE: ViewportSize = {"width": 780, "height": 1000}
NARROW: ViewportSize = {"width": 390, "height": 844}
SECONDS = 60_000  # milliseconds that a page or a part of it may take on a busy machine
# Host names of the tests' publishers; no other host is allowed.
HOSTS = "MAP *.test 127.0.0.1, EXCLUDE 127.0.0.1, MAP * ~NOTFOUND"
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
    f"--host-resolver-rules={HOSTS}",
    # A page that a test routes counts as the internet's, which may not request anything on
    # loopback.
    "--disable-features=LocalNetworkAccessChecks",
)
# Elements that stick out of the window's side, unless a frame scrolls or hides them.
BEYOND = """(roots) => roots.flatMap((root) => {
    const isFramed = (each) => {
        const above = each === root ? null : each.parentElement;
        return above && (getComputedStyle(above).overflowX !== "visible" || isFramed(above));
    };
    return [root, ...root.querySelectorAll("*")]
        .filter((each) => each.getBoundingClientRect().right > window.innerWidth)
        .filter((each) => !isFramed(each))
        .map((each) => each.outerHTML.slice(0, 100));
})"""


@dataclass
class Visitor:
    """A window of a browser on the portal.

    Attributes:
        page: playwright's; URLs without host are the portal's.
        errors: errors on the console, and scripts that failed.
        hosts: hosts that the page sent requests to.
        saves_pictures: ``picture`` saves one. Not by default: it takes a third of a page's check.
    """

    page: Page
    saves_pictures: bool = False
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
        """Return matching elements, or elements in them, that stick out of the window's side."""
        return list(self.page.locator(selector).evaluate_all(BEYOND))

    def picture(self, name: str) -> None:
        """Save a picture of the page beside the tests' reports."""
        if not self.saves_pictures:
            return
        folder = chromium.pictures()
        # A page of ten thousand pixels takes time while other tests run.
        self.page.screenshot(path=folder / f"{name}.png", full_page=True, timeout=60_000)


@pytest.fixture(scope="session")
def chromium_process() -> Iterator[Browser]:
    from playwright.sync_api import expect, sync_playwright

    program = chromium.ensure()
    expect.set_options(timeout=SECONDS)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield started
        started.close()


# Beginnings of the paths of CKAN's and our scripts, styles, fonts and pictures.
STATIC = ("/webassets/", "/base/", "/ukharvest/", "/spatial/")


class _Quiet(WSGIRequestHandler):
    def log_request(self, *_: object) -> None:
        """Log nothing: a page is a dozen requests."""


class StaticFiles:
    """Serves files that never change without CKAN, as a portal's web server does.

    CKAN looks up the user first, which takes longer than the forty files of a page themselves.
    A window requests each file once.
    """

    def __init__(self, app: Any) -> None:
        self.app = app
        self._known: dict[str, tuple[list[tuple[str, str]], bytes]] = {}

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        path = environ["PATH_INFO"]
        if environ["REQUEST_METHOD"] != "GET" or not path.startswith(STATIC):
            return self.app(environ, start_response)
        if path not in self._known:
            answer = TestResponse(*run_wsgi_app(self.app, environ), Request(environ))
            if answer.status_code != 200 or "Set-Cookie" in answer.headers:
                return answer(environ, start_response)
            answer.headers["Cache-Control"] = "max-age=3600"
            self._known[path] = (list(answer.headers), answer.get_data())
        headers, body = self._known[path]
        start_response("200 OK", headers)
        return [body]


class Served:
    """A CKAN that answers over HTTP from a thread of this process.

    Pages contain their own URL, so it is set before the app is made.

    Attributes:
        address: its URL without a slash at the end.
    """

    def __init__(self, config: dict[str, Any], make_app: Callable[[], Any]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            host, port = listening.getsockname()
            self.address = config["ckan.site_url"] = f"http://{host}:{port}"
            serving: dict[str, Any] = {"threaded": True, "request_handler": _Quiet}
            app = StaticFiles(make_app().app)
            self._server: Any = make_server(host, port, app, fd=listening.fileno(), **serving)
        self._server.daemon_threads = False
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        self._thread.start()

    def finish_answers(self) -> None:
        """Wait for requests still running when a test ends: they use its database."""
        # Before the first request there is only the class's placeholder, which cannot be iterated.
        threads = vars(self._server).get("_threads", ())
        while any(each.ident is None or each.is_alive() for each in [*threads]):
            time.sleep(0.005)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()  # werkzeug's server closes itself in it, and waits there for requests


@pytest.fixture(scope="session")
def served() -> Iterator[dict[str, Served]]:
    """The CKANs that tests share, by their own settings: making one takes seconds.

    "" is for tests without settings of their own. Beside it there is the last other one.
    """
    shared: dict[str, Served] = {}
    yield shared
    for ckan in shared.values():
        ckan.close()


@pytest.fixture
def site(
    request: pytest.FixtureRequest,
    plugins: list[str],
    served: dict[str, Served],
    ckan_config: dict[str, Any],
    make_app: Callable[[], Any],
) -> Iterator[str]:
    """URL of a CKAN that serves this test's database."""
    if ckan_config["ckan.plugins"] != plugins:
        own = Served(ckan_config, make_app)
        yield own.address
        own.close()
        return
    key = own_settings(request.node)
    if key not in served:
        for other in filter(None, [*served]):
            served.pop(other).close()
        served[key] = Served(ckan_config, make_app)
    ckan_config["ckan.site_url"] = served[key].address
    yield served[key].address
    served[key].finish_answers()


def own_settings(item: pytest.Item) -> str:
    """Return the file and the settings that a test is marked with, "" for a test without."""
    marks = [mark.args for mark in item.iter_markers("ckan_config")]
    return f"{item.path}: {marks}" if marks else ""


@pytest.fixture
def visitor(
    request: pytest.FixtureRequest, chromium_process: Browser, site: str
) -> Iterator[Visitor]:
    """A window of 1280 by 900 of an anonymous user."""
    context = chromium_process.new_context(base_url=site, viewport=WIDE)
    page = context.new_page()
    yield Visitor(page, saves_pictures=request.config.getoption("pictures"))
    # An answer that a test was still making comes too late to matter.
    page.unroute_all(behavior="ignoreErrors")
    context.close()


@pytest.fixture
def manager(visitor: Visitor) -> Visitor:
    """A sysadmin's window."""
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


@contextmanager
def late_answer(page: Page, pattern: str) -> Iterator[Callable[[], None]]:
    """Hold the answer to the request that the block causes.

    Args:
        pattern: of its URL, as playwright has them.

    Yields:
        A function that lets the answer come, and the page do with it what it does.
    """
    held: list[Route] = []

    def let_come() -> None:
        with page.expect_response(pattern):
            held[0].continue_()
        page.wait_for_timeout(200)

    # Playwright sets an attribute of its handlers, which a list's method cannot have.
    page.route(pattern, lambda route: held.append(route), times=1)
    with page.expect_request(pattern):
        yield let_come


def as_sysadmin(visitor: Visitor) -> None:
    """Request the next pages as a sysadmin."""
    visitor.page.context.set_extra_http_headers(_sysadmin())


def _sysadmin() -> dict[str, str]:
    """Return headers of a sysadmin whose picture is on no other host."""
    return {"Authorization": factories.SysadminWithToken(image_url="")["token"]}
