"""A gate as JUnit's XML, which pipelines show as tests: a case for the verdict, one for each cell.

What is undecided counts as skipped, as JUnit has no word for it; what could not be judged is an
error. The form is that of Maven Surefire's schema.
"""

import re
from xml.etree import ElementTree as ET

from weighhouse_protocol.text import numbered

from weighhouse_cli.ci.told import State, Told

UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""
ELEMENTS = {"failed": "failure", "error": "error", "undecided": "skipped"}


def junit(told: Told) -> bytes:
    """A gate as an XML document, UTF-8."""
    root = ET.Element("testsuites", name="weighhouse")
    suite = ET.SubElement(root, "testsuite", name=_fit(told.experiment))
    properties = ET.SubElement(suite, "properties")
    for name, value in (
        ("campaign", numbered(told.number)), ("page", told.page), ("verdict", told.verdict),
        ("threshold", told.threshold), ("runs", str(told.runs)), ("runs failed", str(told.failed)),
    ):  # fmt: skip
        ET.SubElement(properties, "property", name=name, value=_fit(value))
    for severity, title in told.caveats:
        ET.SubElement(properties, "property", name=f"caveat: {severity}", value=_fit(title))
    states: list[State] = [told.state]
    said = "\n".join([*told.message, told.page])
    _case(suite, told.experiment, "gate", told.state, (told.verdict, said))
    for cell in told.cells:
        words = ", ".join(filter(None, (f"{cell.outcome} {cell.change}".strip(), cell.why)))
        name = f"{cell.target}: {cell.cell}: {cell.metric}"
        _case(suite, f"{told.experiment}.{cell.target}", name, cell.state, (words, told.page))
        states.append(cell.state)
    for element in (root, suite):
        _count(element, states)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


def skipped(experiment: str, why: str) -> bytes:
    """That nothing was measured, as an XML document, UTF-8."""
    root = ET.Element("testsuites", name="weighhouse")
    suite = ET.SubElement(root, "testsuite", name=_fit(experiment))
    _case(suite, experiment, "gate", "undecided", (why, why))
    for element in (root, suite):
        _count(element, ["undecided"])
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _case(
    suite: ET.Element, classname: str, name: str, state: State, words: tuple[str, str]
) -> None:
    case = ET.SubElement(suite, "testcase", classname=_fit(classname), name=_fit(name), time="0")
    message, text = words
    if state == "passed":
        ET.SubElement(case, "system-out").text = _fit(f"{message}\n{text}")
        return
    told = ET.SubElement(case, ELEMENTS[state], message=_fit(message))
    told.text = _fit(text)


def _count(element: ET.Element, states: list[State]) -> None:
    element.set("tests", str(len(states)))
    element.set("failures", str(states.count("failed")))
    element.set("errors", str(states.count("error")))
    element.set("skipped", str(states.count("undecided")))
    element.set("time", "0")


def _fit(text: str) -> str:
    return UNFIT.sub("\ufffd", text)
