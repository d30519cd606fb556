"""Who uses a keyboard sees where they are: WCAG 2.2, 1.4.11 and 2.4.7, computed in a browser."""

from __future__ import annotations

import pytest
from ckan.tests import factories
from ckan.tests.helpers import call_action

from tests.ckan.browser import Visitor
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

OURS = ".ukharvest, .ukharvest-tab"
# Each focused element of ours whose outline has less than 3 : 1 to what lies around it.
_FAINT = """(ours) => {
    const numbers = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const luminance = (colour) => {
        const [red, green, blue] = numbers(colour).slice(0, 3).map((part) => part / 255)
            .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const ground = (element) => {
        for (let each = element.parentElement; each; each = each.parentElement) {
            const colour = getComputedStyle(each).backgroundColor;
            if ((numbers(colour)[3] ?? 1) === 1) return colour;
        }
        return 'rgb(255, 255, 255)';
    };
    const faint = {};
    const roots = [...document.querySelectorAll(ours)];
    const parts = roots.flatMap((root) => [root, ...root.querySelectorAll('*')])
        .filter((each) => each.matches('a[href], button, input:not([type=hidden]), select,'
            + 'textarea, summary') && each.offsetParent !== null && !each.disabled);
    for (const each of parts) {
        each.focus({focusVisible: true, preventScroll: true});
        const style = getComputedStyle(each);
        const [one, two] = [luminance(style.outlineColor), luminance(ground(each))];
        const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
        const isDrawn = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
        if (document.activeElement === each && !(isDrawn && contrast >= 3))
            faint[`${each.localName} ${each.type ?? ''} ${each.className}`.trim()] = contrast;
    }
    return [parts.length, Object.keys(faint)];
}"""


def test_focus_ring_has_contrast(
    visitor: Visitor,
    portal: Portal,
    publisher: Publisher,
    organization: dict[str, str],
) -> None:
    publisher.serve("/data.json", catalogue(2))
    portal.run(portal.source(publisher.url("/data.json"), name="somewhere"))
    user = factories.UserWithToken()
    member = {"id": organization["id"], "username": user["name"], "role": "admin"}
    call_action("organization_member_create", **member)
    visitor.page.context.set_extra_http_headers({"Authorization": user["token"]})
    name = portal.datasets()[0]["name"]
    faint = {}
    for address, ours in {
        "/harvest/somewhere": OURS,
        "/harvest/somewhere/notifications": OURS,
        "/harvest/": OURS,
        "/harvest/add": OURS,
        "/harvest/new": OURS,
        f"/dataset/{name}/source-record": OURS,
    }.items():
        visitor.page.goto(address)
        count, found = visitor.page.evaluate(_FAINT, ours)
        assert count, address
        if found:
            faint[address] = found
    assert faint == {}
