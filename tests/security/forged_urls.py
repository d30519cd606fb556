"""Attacks by URL: spellings of an address inside, redirects to it, names that lead to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.publisher import Request, Response
from tests.security.stage import NAME, PUBLISHER, Attack, Change, Stage

# The URL itself, as a source's URL and as the target of a redirect: spelling of the host,
#    whether this machine's resolver takes it for the canary's address.
HOSTS = {
    "127.0.0.1": True,
    "localhost": True,
    "LOCALHOST.": True,
    "2130706433": True,
    "0x7f000001": True,
    "0x7f.1": True,
    "0177.0.0.1": True,
    "017700000001": True,
    "127.1": True,
    "127.0.0.1.": False,
    "0.0.0.0": False,  # the tests' own network guard refuses it
    "0": False,
    "[::1]": True,
    "[0:0:0:0:0:0:0:1]": True,
    "[::ffff:127.0.0.1]": True,
    "[::ffff:7f00:1]": True,
    "[::127.0.0.1]": False,
    "[::ffff:0:127.0.0.1]": False,
    "[64:ff9b::7f00:1]": False,
    "[2002:7f00:1::]": False,
    "[fe80::1%25lo]": False,
    "%31%32%37.0.0.1": False,
    "１２７.0.0.1": False,
    "127。0。0。1": False,
    "①②⑦.⓪.⓪.①": False,
    f"{PUBLISHER}@127.0.0.1": False,
    f"{PUBLISHER}:80@127.0.0.1": False,
    f"127.0.0.1\\@{PUBLISHER}": False,
    f"127.0.0.1%00.{PUBLISHER}": False,
    "127.0.0.1\t": False,
    "127.0.0.1\r\nHost: inside": False,
}
URLS = {
    "file": "file:///etc/passwd",
    "file with a host": "file://127.0.0.1:{port}/etc/passwd",
    "gopher": "gopher://127.0.0.1:{port}/_GET%20/%20HTTP/1.0%0d%0a%0d%0a",
    "ftp": "ftp://127.0.0.1:{port}/a.xml",
    "dict": "dict://127.0.0.1:{port}/info",
    "ldap": "ldap://127.0.0.1:{port}/",
    "tftp": "tftp://127.0.0.1:{port}/a",
    "jar": "jar:http://127.0.0.1:{port}/a!/b",
    "data": "data:application/json,{{}}",
    "javascript": "javascript:fetch('http://127.0.0.1:{port}/')",
    "netdoc": "netdoc:///etc/passwd",
    "unix socket": "http+unix://%2Fvar%2Frun%2Fdocker.sock/info",
    "scheme-relative": "//127.0.0.1:{port}/",
    "backslashes": "http:\\\\127.0.0.1:{port}\\",
    "one slash": "http:/127.0.0.1:{port}/",
    "no slash": "http:127.0.0.1:{port}/",
    "fragment and user": f"http://127.0.0.1:{{port}}#@{PUBLISHER}/",
    "query and user": f"http://127.0.0.1:{{port}}?@{PUBLISHER}/",
    "tab in the scheme": "ht\ttp://127.0.0.1:{port}/",
    "two hosts": f"http://{PUBLISHER} 127.0.0.1:{{port}}/",
}


def _targets() -> dict[str, tuple[str, bool]]:
    spelt = {host: (f"http://{host}:{{port}}/a", reaches) for host, reaches in HOSTS.items()}
    return {**spelt, **{name: (url, False) for name, url in URLS.items()}}


def _url(template: str, stage: Stage) -> str:
    return template.replace("{port}", str(stage.canary.port)).replace("{{}}", "{}")


def _at(template: str) -> Callable[[Stage, str], str]:
    return lambda stage, _path: _url(template, stage)


def _redirect(template: str, *, status: int = 302, number: int = 1, header: str = "") -> Change:
    """Redirect the request of this number to a URL."""

    def change(stage: Stage, count: int, _request: Request, response: Response) -> Response:
        if count != number:
            return response
        return Response(status=status, headers={header or "Location": _url(template, stage)})

    return change


def _hops(stage: Stage, count: int, _request: Request, _response: Response) -> Response:
    """Redirect twice to the publisher itself, then inside."""
    to = stage.canary.url() if count == 3 else stage.publisher.url(f"/hop{count}")
    return Response(status=307, headers={"Location": to})


def _each_name(url: str) -> Callable[[Stage, str], str]:
    """Return the feature's own URL under a name that is looked up."""
    return lambda stage, path: f"http://{url}:{stage.publisher.port}{path}"


def _closing(_stage: Stage, _count: int, _request: Request, response: Response) -> Response:
    """Close the connection after each answer, so that the next request looks the name up again."""
    return replace(response, headers={**response.headers, "Connection": "close"})


SOURCE_URLS = tuple(
    Attack(f"source URL: {name}", _at(url), followed=("all",) if reaches else ())
    for name, (url, reaches) in _targets().items()
)
REDIRECTED_URLS = tuple(
    Attack(f"redirect: {name}", change=_redirect(url), followed=("all",) if reaches else ())
    for name, (url, reaches) in _targets().items()
)
REDIRECTS = (
    *(
        Attack(
            f"redirect: status {status}",
            change=_redirect("http://127.0.0.1:{port}/a", status=status),
            followed=("all",),
        )
        for status in (301, 303, 307, 308)
    ),
    *(
        Attack(
            f"redirect: request {number}",
            change=_redirect("http://127.0.0.1:{port}/a", number=number),
        )
        for number in (2, 3, 4)
    ),
    Attack("redirect: third hop", change=_hops, followed=("all",)),
    Attack("redirect: not modified", change=_redirect("http://127.0.0.1:{port}/", status=304)),
    Attack("redirect: created", change=_redirect("http://127.0.0.1:{port}/", status=201)),
)
DNS = (
    Attack("DNS: inside", _each_name(NAME), answers=(("127.0.0.1",),), followed=("all",)),
    Attack("DNS: inside, with a dot", _each_name(f"{NAME}."), answers=(("127.0.0.1",),)),
    Attack("DNS: inside, IPv6", _each_name(NAME), answers=(("::1",),), followed=("all",)),
    Attack("DNS: mapped", _each_name(NAME), answers=(("::ffff:127.0.0.1",),)),
    Attack(
        "DNS: changes after the first look-up",
        _each_name(NAME),
        _closing,
        ((PUBLISHER,), ("127.0.0.1",)),
        ("ckan", "dkan", "dcat_rdf", "gemini-waf", "gemini-csw"),
    ),
    Attack(
        "DNS: changes at each look-up",
        _each_name(NAME),
        _closing,
        ((PUBLISHER,), ("127.0.0.1",), (PUBLISHER,), ("::1",)),
    ),
    # Nobody listens at 127.0.0.3: falling back to the other address is the attack.
    Attack("DNS: a dead address first", _each_name(NAME), answers=(("127.0.0.3", "127.0.0.1"),)),
    Attack("DNS: both", _each_name(NAME), answers=((PUBLISHER, "127.0.0.1"),)),
)
