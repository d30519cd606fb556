"""The check of placeholders finds each kind of fault, and nothing else."""

from __future__ import annotations

import pytest

from tests.placeholders import faults_of_python, faults_of_template


@pytest.mark.parametrize(
    ("source", "defects"),
    [
        ("tk._('By {who}.').format(who=a)", []),
        ("tk._('How to fix it:').format(tip=a)", ["tip: not in the text"]),
        ("tk._('By {who}.').format(name=a)", ["name: not in the text", "who: no value"]),
        ("tk._('By {who}.')", ["who: no value"]),
        ("tk._('By %(who)s.') % {'name': a}", ["name: not in the text", "who: no value"]),
        ("tk._('')", ["no text"]),
        ("str(tk._('{a[0]:,} {b!r}')).format(a=a, b=b)", []),
        ("tk._('{0} {n').format(a)", ["not a format: expected '}' before end of string"]),
        ("gettext('By {who}.')", ["who: no value"]),
        ("ungettext('{n} of {all}', '{n} of {all}', n)", ["all: no value"]),
        ("ungettext('one', '{n} runs', n)", []),
        ("tk.ungettext('one', '{n} runs', n)", ["n: no value"]),
        ("tk.ungettext('one', '{n} runs', n).format(n=number(n))", []),
        ("reason = _('By {who}.'), {'name': a}", ["name: not in the text", "who: no value"]),
        ("text = tk._('By {who}.') if a else tk._('Here')\ntext.format(who=a)", []),
        (
            "text = tk._('By them') if a else tk._('Here')\ntext.format(who=a)",
            ["who: not in the text"],
        ),
        (
            "T = {1: _('By {who}.'), 2: _('{x}')}\ndef f(): tk._(T[n]).format(who=a)",
            ["x: no value"],
        ),
        ("def g(): return tk._('By them')\ng().format(who=a)", ["who: not in the text"]),
        (
            "def say(key, **v): return T[key].format(**v)\nT = {1: '{a}'}\nsay(1, b=1)",
            ["b: not in the text", "a: no value"],
        ),
    ],
)
def test_wrong_values_are_found_in_python(source: str, defects: list[str]) -> None:
    assert sorted(fault.defect for fault in faults_of_python(source)) == sorted(defects)


@pytest.mark.parametrize(
    ("source", "defects"),
    [
        ("{{ _('By {who}.').format(who=a) }}", []),
        ("{{ _('How to fix it:').format(tip=problem.tip) }}", ["tip: not in the text"]),
        (
            "{{ (_('By {who}.')|escape).format(name=a) }}",
            ["name: not in the text", "who: no value"],
        ),
        ("{{ _('By {who}.') }}", ["who: no value"]),
        ("{{ _('') }}", ["no text"]),
        ("{{ _('By %(who)s.', who=a) }}", []),
        ("{{ _('By %(who)s.', name=a) }}", ["name: not in the text", "who: no value"]),
        ("{% trans who=a %}By {{ who }}.{% endtrans %}", []),
        ("{% trans who=a %}By them.{% endtrans %}", ["who: not in the text"]),
        ("{{ ungettext('%(num)s run', '%(num)s runs', n) }}", []),
        ("{% set text = ungettext('{n} run', 'runs', n) %}{{ text.format(n=n) if n }}", []),
        ("{% set text = _('Runs') %}{{ text.format(n=n) if n }}", ["n: not in the text"]),
    ],
)
def test_wrong_values_are_found_in_templates(source: str, defects: list[str]) -> None:
    assert sorted(fault.defect for fault in faults_of_template(source)) == sorted(defects)
