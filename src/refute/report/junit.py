"""The hunt as JUnit XML: a failed case for each signature, a passed one for each rule exercised."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from refute.divergence import Divergence
from refute.report.result import HuntResult
from refute.report.text import command_for, count, printable, sentence_for


def render_junit(result: HuntResult) -> str:
    """XML 1.0 that any CI server reads: what it forbids is shown as an escape."""
    cases = [*_failures(result), *_features(result), *_skips(result)]
    names = {
        "name": printable(f"refute hunt {result.subject}"),
        "tests": str(len(cases)),
        "failures": str(len(result.groups())),
        "errors": "0",
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
        "time": f"{result.seconds:.3f}",
    }
    root = ET.Element("testsuites", names)
    suite = ET.SubElement(root, "testsuite", names)
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(result):
        ET.SubElement(properties, "property", {"name": printable(name), "value": printable(value)})
    suite.extend(cases)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _properties(result: HuntResult) -> list[tuple[str, str]]:
    return [
        ("subject", result.subject),
        ("witnesses", ", ".join(result.witnesses)),
        ("seed", str(result.seed)),
        ("walks", str(result.walks)),
        ("positions", str(result.positions)),
        ("nodes", str(result.nodes)),
        ("interrupted", str(result.interrupted).lower()),
        *((f"version of {name}", version) for name, version in result.versions),
    ]


def _case(classname: str, name: str) -> ET.Element:
    return ET.Element("testcase", {"classname": classname, "name": printable(name), "time": "0"})


def _failures(result: HuntResult) -> list[ET.Element]:
    cases = []
    for signature, divergences in result.groups().items():
        case = _case("refute.divergence", str(signature))
        total = sum(divergence.count for divergence in divergences)
        failure = ET.SubElement(
            case,
            "failure",
            {"type": printable(divergences[0].verdict), "message": printable(sentence_for(divergences[0]))},
        )
        found = f"{count(total, 'walk')} showed this signature."
        failure.text = "\n\n".join([found, *(_tell(divergence) for divergence in divergences)])
        cases.append(case)
    return cases


def _tell(divergence: Divergence) -> str:
    lines = [
        sentence_for(divergence),
        str(divergence.walk),
        f"missing:  {' '.join(divergence.missing) or '-'}",
        f"extra:    {' '.join(divergence.extra) or '-'}",
        f"expected: {divergence.expected} ({divergence.witness})",
        f"actual:   {divergence.actual} ({divergence.subject})",
        f"again:    {command_for(divergence)}",
        *divergence.transcript,
    ]
    return "\n".join(printable(line) for line in lines)


def _features(result: HuntResult) -> list[ET.Element]:
    cases = []
    for name, times in result.features.items():
        case = _case("refute.feature", name)
        if not times:
            ET.SubElement(case, "skipped", {"message": "no walk exercised it"})
        cases.append(case)
    return cases


def _skips(result: HuntResult) -> list[ET.Element]:
    cases = []
    for skip in result.skipped:
        case = _case("refute.skipped", skip.check)
        ET.SubElement(case, "skipped", {"message": printable(skip.why)})
        cases.append(case)
    for quarantine in result.quarantined:
        case = _case("refute.quarantined", f"{quarantine.facet} {quarantine.walk}")
        said = "; ".join(f"{witness}: {answer}" for witness, answer in quarantine.answers)
        ET.SubElement(case, "skipped", {"message": printable(f"the witnesses disagree: {said}")})
        cases.append(case)
    return cases
