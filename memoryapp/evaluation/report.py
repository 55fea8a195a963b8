"""A run as a table, as JSON and as one HTML page that needs nothing else.

The page has no script and loads nothing. Its one style sheet is allowed by its hash; where a
stricter policy refuses it, the plots, which use attributes alone, stay as they are.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from memoryapp.evaluation.metrics import Comparison, Measure, Run, Suite

_MOST_FAILURES = 400
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;"
    "color:#1b1b1f;background:#fff}table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}"
    "td.n{font-variant-numeric:tabular-nums;white-space:nowrap}h2{margin-top:2.5rem}"
    "li{overflow-wrap:anywhere}svg{max-width:100%;height:auto}"
    "@media (prefers-color-scheme:dark){body{color:#e8e8ea;background:#17171a}"
    "th,td{border-color:#444}svg{background:#fff}}"
)
_GOOD, _BAD, _PLAIN, _RAIL = "#1a7f4b", "#b3261e", "#3b5ba5", "#e4e6ec"


def verdict(measure: Measure) -> str:
    """ "ok", "MISSED", or "" without a target."""
    if measure.met is None:
        return ""
    return "ok" if measure.met else "MISSED"


def _target(measure: Measure) -> str:
    if measure.target is None:
        return ""
    return f"{'≥' if measure.better == 'higher' else '≤'} {measure.target:g}"


def table(suite: Suite) -> str:
    """The suite for a terminal."""
    if suite.skipped:
        return f"  {_('skipped')}: {suite.skipped}\n"
    lines = []
    width = max((len(measure.name) for measure in suite.measures), default=0)
    for measure in suite.measures:
        tail = f"{_target(measure):>8}  {verdict(measure)}".rstrip()
        lines.append(f"  {measure.name:{width}}  {measure!s:>26}  {tail}".rstrip())
    lines += [f"  {note}" for note in suite.notes]
    lines.append(
        "  " + _("{count} failures, {seconds} s").format(
            count=len(suite.failures), seconds=suite.seconds
        )
    )  # fmt: skip
    return "\n".join(lines) + "\n"


def differences(comparison: Comparison) -> str:
    """What changed, for a terminal."""
    lines = [_("Against the earlier run:")]
    for change in comparison.changes:
        mark = _("WORSE") if change.worse else _("changed")
        lines.append(
            f"  {mark:8} {change.suite}: {change.measure}: {change.before} → {change.after}"
        )
    lines += [
        f"  {_('NEW'):8} {suite}: {failure.what}" for suite, failure in comparison.new_failures
    ]
    lines += [f"  {_('gone'):8} {name}" for name in comparison.missing]
    if len(lines) == 1:
        lines.append("  " + _("nothing changed"))
    return "\n".join(lines) + "\n"


def write(run: Run, comparison: Comparison | None, out: Path) -> list[Path]:
    """``run.json`` and ``report.html`` in the folder, which is made when it isn't there."""
    out.mkdir(parents=True, exist_ok=True)
    as_json, page = out / "run.json", out / "report.html"
    as_json.write_text(
        json.dumps(run.as_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    page.write_text(html(run, comparison), encoding="utf-8")
    return [as_json, page]


# -- HTML --------------------------------------------------------------------------------------


def html(run: Run, comparison: Comparison | None) -> str:
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    title = _("How good the memory is")
    parts = [
        "<!doctype html>",
        f'<html lang="{escape(get_language() or "en")}"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>",
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(run.started_at)} · {escape(run.extractor)} · {escape(run.embedder)}</p>",
        *_summary(run),
    ]
    if comparison is not None:
        parts += [
            f"<h2>{escape(_('Against the earlier run'))}</h2>",
            f"<pre>{escape(differences(comparison))}</pre>",
        ]
    for suite in run.suites:
        parts += _suite(suite)
    return "\n".join([*parts, "</main></body></html>", ""])


def _summary(run: Run) -> Iterator[str]:
    aims = [(s, m) for s in run.suites for m in s.measures if m.met is not None]
    if not aims:
        return
    head = (_("Suite"), _("Figure"), _("Reached"), _("Target"), "")
    yield f"<h2>{escape(_('Targets'))}</h2><table><thead><tr>"
    yield "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    yield "</tr></thead><tbody>"
    for suite, measure in aims:
        cells = (suite.name, measure.name, str(measure), _target(measure), verdict(measure))
        yield "<tr>" + "".join(f'<td class="n">{escape(cell)}</td>' for cell in cells) + "</tr>"
    yield "</tbody></table>"


def _suite(suite: Suite) -> Iterator[str]:
    yield f'<section><h2 id="{escape(suite.name)}">{escape(suite.name)}</h2>'
    if suite.skipped:
        yield f"<p>{escape(_('skipped'))}: {escape(suite.skipped)}</p></section>"
        return
    shares = [m for m in suite.measures if m.unit == "share" and m.value is not None]
    others = [m for m in suite.measures if m not in shares]
    if shares:
        yield bars(suite.name, shares)
    if others:
        yield "<ul>"
        for measure in others:
            tail = " ".join(filter(None, (_target(measure), verdict(measure))))
            yield f"<li>{escape(f'{measure.name}: {measure} {tail}'.strip())}</li>"
        yield "</ul>"
    yield from (f"<p>{escape(note)}</p>" for note in suite.notes)
    if suite.files:
        yield f"<p>{escape(_('Files'))}: {escape(', '.join(suite.files))}</p>"
    if suite.failures:
        yield f"<details><summary>{len(suite.failures)} {escape(_('failures'))}</summary><ul>"
        for failure in suite.failures[:_MOST_FAILURES]:
            yield f"<li>{escape(failure.what)}</li>"
        yield "</ul></details>"
    yield "</section>"


def bars(title: str, measures: Sequence[Measure]) -> str:
    """Shares as horizontal bars with their targets as marks: attributes only, no style."""
    row, left, wide, right = 26, 340, 300, 190
    height = row * len(measures) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {left + wide + right} '
        f'{height}" width="{left + wide + right}" height="{height}" font-family="sans-serif" '
        f'font-size="13"><title>{escape(title)}</title>'
    ]
    for number, measure in enumerate(measures):
        y = row * number + 6
        value = min(1.0, max(0.0, measure.value or 0.0))
        colour = {True: _GOOD, False: _BAD, None: _PLAIN}[measure.met]
        name = measure.name if len(measure.name) < 50 else measure.name[:48] + "…"
        parts.append(
            f'<text x="{left - 10}" y="{y + 13}" text-anchor="end" fill="#1b1b1f">'
            f"{escape(name)}</text>"
            f'<rect x="{left}" y="{y}" width="{wide}" height="18" fill="{_RAIL}"/>'
            f'<rect x="{left}" y="{y}" width="{wide * value:.1f}" height="18" fill="{colour}"/>'
            f'<text x="{left + wide + 10}" y="{y + 13}" fill="#1b1b1f">{escape(str(measure))}'
            "</text>"
        )
        if measure.target is not None:
            x = left + wide * measure.target
            parts.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 3}" y2="{y + 21}" stroke="#1b1b1f" '
                'stroke-width="2"/>'
            )
    return "".join([*parts, "</svg>"])
