"""Requirements on every page, checked in a browser: width, words, labels, focus, axe.

looks.check(visitor, "source-held", f"/harvest/{name}")

fails with all defects, and with --pictures saves a picture for each width. The page is loaded once,
and its window then made narrower: loading takes longer than checking.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.ckan.browser import BEYOND, MIDDLE, NARROW, WIDE, Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

STOCK = "/dataset/"  # a page of CKAN's own, as wide as its own margins make it
OURS = ".ukharvest"
# Defects of CKAN's own pages, one a line: rule, blank, a part of the element's selector.
BASELINE = Path(__file__).with_name("axe_baseline.txt")
GRAVE = ("serious", "critical")
UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
PROGRAM = r"\bNone\b|\bundefined\b|\bNaN\b|\bTraceback\b|&(?:amp|lt|gt|#\d+);"
MOST_FOCUSED = 40

# What is wrong with our parts at one width, found in one request to the browser, and the page's
# width: what sticks out of the window, fields without a label, words that a box hides (except those
# for screen readers), elements that look alike with the focus and without, a program's words.
_FAULTS = """(roots, [program, most, isFull]) => {
    const html = (each) => each.outerHTML.slice(0, 100);
    const parts = ['outlineStyle', 'outlineWidth', 'outlineColor', 'boxShadow', 'borderColor',
        'backgroundColor', 'textDecorationLine', 'color'];
    const look = (each) => {
        const style = getComputedStyle(each);
        return parts.map((part) => style[part]).join('|');
    };
    const isDull = (each) => {
        document.activeElement?.blur();
        const before = look(each);
        each.focus({focusVisible: true, preventScroll: true});
        return document.activeElement === each && look(each) === before;
    };
    const isCut = (each) => ['hidden', 'clip'].includes(getComputedStyle(each).overflowX)
        && each.scrollWidth > each.clientWidth + 1 && each.textContent.trim();
    const known = {};  // parts can be in one another
    const add = (words, elements) => {
        known[words] ||= new Set();
        for (const each of elements)
            known[words].add(each);
    };
    const found = (BEYOND)(roots).map((each) => `beyond the window: ${each}`);
    for (const root of isFull ? roots : []) {
        const all = (selector) => [...root.querySelectorAll(selector)];
        add('without a label', all('input:not([type=hidden]):not([type=submit]), select, textarea')
            .filter((each) => !each.closest('.select2-container'))
            .filter((each) => !each.labels?.length && !each.getAttribute('aria-label')
                && !each.getAttribute('aria-labelledby')));
        add('cut', all('*').filter((each) =>
            !each.closest('.visually-hidden, .sr-only, svg, thead, .leaflet-container')
            && isCut(each)));
        add('focus', all(
                'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]')
            .filter((each) => each.tabIndex >= 0 && each.offsetParent !== null && !each.disabled)
            .slice(0, most));
        for (const [word] of root.innerText.matchAll(new RegExp(program, 'g')))
            found.push(`a program's word: ${word}`);
    }
    known['focus not seen'] = [...known.focus ?? []].filter(isDull);
    delete known.focus;
    document.activeElement?.blur();
    for (const [words, elements] of Object.entries(known))
        found.push(...[...elements].map((each) => `${words}: ${html(each)}`));
    return [document.documentElement.scrollWidth, found];
}""".replace("BEYOND", BEYOND)
_WIDTH = "() => document.documentElement.scrollWidth"
# Collapsed parts are checked as well.
_OPEN = """region => [...document.querySelectorAll('details:not([open])')]
    .filter((each) => each.closest(region) || each.querySelector(region))
    .forEach((each) => { each.open = true; })"""
# A rule that names an impact gives it to all its violations: those of little need no search.
_AXE = """async ([region, graves, colours]) => {
    const others = axe._audit.rules.filter(
        (rule) => rule.impact && !graves.includes(rule.impact));
    const rules = Object.fromEntries(others.map((rule) => [rule.id, {enabled: false}]));
    if (!colours)
        rules['color-contrast'] = {enabled: false};
    const found = await axe.run(document, {resultTypes: ['violations'], rules});
    const isOurs = (node) => !!document.querySelector(node.target[0])?.closest(region);
    return found.violations.filter((each) => graves.includes(each.impact)).flatMap((each) =>
        each.nodes.map((node) => [each.id, node.target.join(' '), isOurs(node)]));
}"""
LEAST: ViewportSize = {"width": 320, "height": 640}  # 1280 enlarged to 400 %
_stock_widths: dict[tuple[str, int], int] = {}


def check(visitor: Visitor, name: str, address: str, *, beside: str = STOCK, **how: Any) -> None:
    """Check a page at each width; fail with all its defects.

    Args:
        name: of the pictures.
        beside: a page without our part, which this one may not be wider than.
        how: as in ``_look``.
    """
    know_stock(visitor, beside)
    visitor.errors.clear()
    visitor.hosts.clear()
    answer = visitor.page.goto(address)
    status = answer.status if answer else 0
    if status != 200:
        raise AssertionError(f"{name}: {address} answers {status}")
    check_here(visitor, name, beside=beside, **how)


def check_here(visitor: Visitor, name: str, **how: Any) -> None:
    """Check the current page, such as the answer to a form; after ``know_stock``."""
    visitor.page.evaluate("() => document.fonts.ready.then(() => null)")
    wrong = _look(visitor, name, **how)
    assert not wrong, f"{name} ({visitor.page.url}):\n" + "\n".join(wrong)


def check_all(visitor: Visitor, prefix: str, pages: Mapping[str, str], **how: Any) -> None:
    """Check several pages, by name, and fail with the defects of any of them."""
    wrong = []
    for name, address in pages.items():
        try:
            check(visitor, f"{prefix}-{name}", address, **how)
        except AssertionError as exc:
            wrong.append(str(exc))
        assert_harmless(visitor.page)
    assert not wrong, "\n".join(wrong)


def _look(
    visitor: Visitor,
    name: str,
    *,
    beside: str = STOCK,
    region: str = OURS,
    is_own: bool = True,
    is_layout: bool = False,
) -> list[str]:
    """Return all defects of the current page; the window is wide afterwards.

    The wide picture is of the page as loaded, the others with all parts expanded.

    Args:
        region: selector of our part.
        is_own: the page is ours, not one of CKAN's with a part of ours.
        is_layout: leave axe out, for pages that another test checks with it in other words.
    """
    page = visitor.page
    visitor.picture(f"{name}-{WIDE['width']}")
    text = "".join(page.locator(region).all_inner_texts())
    for guid in page.locator(".ukharvest-guid").all_inner_texts():  # people look for it
        text = text.replace(guid, "")
    wrong = [f"an id in plain sight: {each}" for each in UUID.findall(text)]
    wrong += [] if text else [f"nothing of ours ({region})"]
    wrong += _wrong_title(page.title())
    if is_own and (headings := page.locator("[role=main] h1, main h1").count()) != 1:
        wrong.append(f"{headings} headings of the first level in the main part")
    page.evaluate(_OPEN, region)
    for size in (WIDE, MIDDLE, NARROW, LEAST):
        page.set_viewport_size(size)
        is_full = size in (WIDE, NARROW)
        asked = [PROGRAM, MOST_FOCUSED, is_full]
        width, found = page.locator(region).evaluate_all(_FAULTS, asked)
        # At the least width CKAN's own breadcrumb sticks out, and its forms.
        if size is not LEAST and width > (stock := _stock_widths[beside, size["width"]]):
            found.append(f"the page is {width} px wide, a stock page {stock}")
        if is_full and not is_layout:
            found += _axe(page, region, colours=size is WIDE)
        wrong += [f"{size['width']}: {each}" for each in found]
        if size in (MIDDLE, NARROW):
            visitor.picture(f"{name}-{size['width']}")
    page.set_viewport_size(WIDE)
    own = {page.url.split("/")[2]}
    # Browsers request a site's icon once, and late.
    errors = [each for each in visitor.errors if "/favicon.ico" not in each]
    wrong += [f"on the console: {each}" for each in errors]
    return wrong + [f"asks another host: {host}" for host in sorted(visitor.hosts - own) if host]


def _wrong_title(title: str) -> list[str]:
    """Return what is wrong with a page's title: parts that are empty or say the same."""
    parts = [part.strip() for part in f" {title} ".split(" - ")]
    is_wrong = not all(parts) or any(a == b for a, b in itertools.pairwise(parts))
    return [f"the page's title has empty or doubled parts: {title}"] if is_wrong else []


def know_stock(visitor: Visitor, address: str = STOCK) -> None:
    """Measure, once, how wide a page of CKAN's own is; ours may not be wider."""
    for size in (WIDE, MIDDLE, NARROW):
        if (address, size["width"]) not in _stock_widths:
            visitor.page.set_viewport_size(size)
            visitor.page.goto(address)
            _stock_widths[address, size["width"]] = visitor.page.evaluate(_WIDTH)
    visitor.page.set_viewport_size(WIDE)


def _axe(page: Page, region: str, *, colours: bool) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    if not page.evaluate("() => 'axe' in window"):  # loaded at the width before
        page.evaluate(Axe().axe_script)
    known = [tuple(line.split(" ", 1)) for line in BASELINE.read_text().splitlines() if line]
    return [
        f"axe: {rule} at {target}"
        for rule, target, is_ours in page.evaluate(_AXE, [region, GRAVE, colours])
        if is_ours or not any(rule == each and part in target for each, part in known)
    ]


# Hostile texts: markup, scripts as URLs, quotes, text from right to left, length.
HOSTILE = (
    # A parser leaves HTML out of titles, so one tag is none of those that it knows.
    "<svg onload='window.hurt = 1'><script>window.hurt = 1</script>"
    "<img src=x onerror='window.hurt = 1'>",
    "javascript:window.hurt=1",
    '" onmouseover="window.hurt=1" \' onfocus=\'window.hurt=1',
    "{{ 7 * 7 }} {% raw %} %(name)s {0}",
    "\u202egnp.exe\u202c \u0627\u0644\u0628\u064a\u0627\u0646\u0627\u062a",
    "Long" * 500,
)


def assert_harmless(page: Page) -> None:
    """Fail if a hostile text became a script, a tag or a link that runs one."""
    assert page.evaluate("() => window.hurt") is None, f"a script ran: {page.url}"
    live = page.locator("a[href^='javascript:' i]:not(.select2-choice), img[src='x']")
    found = live.evaluate_all("(all) => all.map((each) => each.outerHTML.slice(0, 200))")
    assert not found, f"{page.url}: {found}"
