"""JUnit XML, Markdown and HTML over what strangers write."""

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

from tests.cases.collection import mechanical_checks, required
from tests.cases.outcome import Outcome
from tests.cases.workbench import Open

required()


def junit_text(outcome: Outcome) -> str:
    """Give all that a reader of the XML gets to see."""
    root = ET.fromstring(outcome.text("junit.xml"))  # noqa: S314 - our own file
    attributes = [value for element in root.iter() for value in element.attrib.values()]
    return "\n".join([*root.itertext(), *attributes])


def test_h65_characters_that_xml_forbids_are_shown(bench: Open) -> None:
    case = bench("H65")
    reply = case.load("endpoint_reply.json")["reply"]
    outcome = case.play()
    assert outcome.exit_code == 1
    text = junit_text(outcome)
    for word in ("start", "red", "nul", "one", "vt", "fffe", "ffff", "end", "\U0001f600"):
        assert word in text
    assert "startred" not in text.replace("[31m", "")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", text)
    assert "Red" in text
    assert 'name[0m <&> "q"' in text.replace("\\u001b", "").replace("\\x1b", "")
    assert outcome.runs[0]["response"] == reply


def test_h66_markup_in_an_answer_is_text(bench: Open) -> None:
    case = bench("H66")
    reply = case.load("endpoint_reply.json")["reply"]
    case.change(judge={"provider": "stub"})
    outcome = case.play()
    assert len(outcome.testcases) == 1
    assert reply in junit_text(outcome)
    assert reply == outcome.runs[0]["response"]


def test_h66_the_text_of_a_failure_is_bounded(bench: Open) -> None:
    case = bench("H66")
    case.write("endpoint_reply.json", json.dumps({"reply": "]]>" * 70_000}))
    outcome = case.play(changes={"run": {"runs": 10}})
    size = (outcome.report_dir / "junit.xml").stat().st_size
    assert size < 1_000_000
    assert "]]>" in junit_text(outcome)
    assert re.search(r"more characters|left out|cut|shortened", junit_text(outcome))


def test_h67_names_that_readers_would_merge(bench: Open) -> None:
    # The design: two tests with one id are an error (exit 2); an `id` of its own tells them apart.
    case = bench("H67")
    with case.servers() as running:
        outcome = case.run(running)
        assert running.asked("endpoint") == []
        assert outcome.exit_code == 2
        assert "refunds/asks-nicely" in outcome.err
        for file in ("refunds.yaml", "returns.yaml"):
            head, *entries = case.read(file).split("  - {")
            told = [f"{{id: {file[:3]}-{n}, {entry}" for n, entry in enumerate(entries)]
            case.write(file, head + "".join(f"  - {each}" for each in told))
        first = case.run(running)
        second = case.run(running)
    pairs = [(each.get("classname"), each.get("name")) for each in first.testcases]
    assert len(set(pairs)) == 6
    assert len({name for _, name in pairs}) == 6, "the name alone differs, too"
    assert pairs == [(each.get("classname"), each.get("name")) for each in second.testcases]
    failed = [each for each in first.testcases if each.find("failure") is not None]
    assert len(failed) == 4
    for each in first.testcases:
        assert re.fullmatch(r"\d+\.\d+", each.get("time") or "")


def rendered(markdown: str) -> str:
    """Render as GitHub does, raw HTML included."""
    options = Options.CMARK_OPT_UNSAFE
    html: str = cmarkgfm.github_flavored_markdown_to_html(markdown, options=options)
    return html


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.outside_code: list[str] = []
        self.everything: list[str] = []
        self.tags: set[str] = set()
        self._code = 0
        self._rows = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.tags.add(tag)
        self._code += tag in {"code", "pre"}
        self._rows += tag == "td"
        if tag in {"td", "th"}:
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in {"code", "pre"}

    def handle_data(self, data: str) -> None:
        self.everything.append(data)
        if self.cells:
            self.cells[-1] += data
        if not self._code:
            self.outside_code.append(data)


def read(markdown: str) -> _Words:
    words = _Words()
    words.feed(rendered(markdown))
    return words


def test_h68_names_stay_in_their_cells(bench: Open) -> None:
    outcome = bench("H68").play()
    assert outcome.exit_code in {1, 2}
    if outcome.exit_code == 2:  # names without a letter or digit need an id
        case = bench("H68")
        case.write("scenarios.yaml", with_ids(case.read("scenarios.yaml")))
        outcome = case.play()
    markdown = outcome.text("summary.md")
    words = read(markdown)
    assert not words.tags & {"s", "del", "img"}
    cells = [" ".join(cell.split()) for cell in words.cells]
    for name in ("A | B | C", "ends with \\", "a b", "<table><tr>", "**bold** _it_", "~~s~~ $x$"):
        assert any(name in cell for cell in cells), name
    assert any("code | x" in cell for cell in cells)
    assert any("\\u200b" in cell or "empty" in cell for cell in cells)
    assert len(outcome.tests) == 9


def with_ids(text: str) -> str:
    head, *entries = text.split("  - name:")
    return head + "".join(f"  - id: n{n}\n    name:{entry}" for n, entry in enumerate(entries))


def test_h69_fences_in_an_answer_close_nothing(bench: Open) -> None:
    case = bench("H69")
    replies = [entry["reply"] for entry in case.load("replies.json")]
    outcomes = []
    for reply in replies:  # the report shows the first failing transcript of a test
        case.write("replies.json", json.dumps([{"reply": reply}]))
        outcomes.append(case.play(changes={"run": {"runs": 1}}))
        markdown = outcomes[-1].text("summary.md")
        html = rendered(markdown)
        code = re.findall(r"<code[^>]*>(.*?)</code>", html, re.DOTALL)
        assert any(escaped(reply) in block for block in code), reply
        outside = re.sub(r"<code[^>]*>.*?</code>", "", html, flags=re.DOTALL)
        assert outside.count("<details") == outside.count("</details>")
        assert "<h1>big" not in outside
        assert "<sub>" in outside, "the last line is ours and no code"
    assert mechanical_checks().fences(outcomes[-1].path("summary.md")) == []


def escaped(text: str) -> str:
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return text


def test_h70_nothing_that_is_quoted_comes_alive(bench: Open) -> None:
    case = bench("H70")
    scenarios = case.read("scenarios.yaml").replace(
        "Ask @octo-user about #12", '"Ask @octo-user about #12"'
    )
    case.write("scenarios.yaml", scenarios)  # without quotes "#12" is a comment, which is refused
    outcome = case.play()
    words = read(outcome.text("summary.md"))
    prose = " ".join(words.outside_code)
    assert not re.search(r"(?<![\w`/])@[A-Za-z0-9]", prose)
    assert not re.search(r"#\d+|GH-\d+|\b[0-9a-f]{40}\b", prose)
    assert "img" not in words.tags
    assert "example.com" not in prose
    assert "javascript:" not in outcome.text("report.html").partition("<body")[0]
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", outcome.text("report.html"))


# In a heading, tags are the author's markup and no part of its title; their text is.
PAYLOADS = (
    "alert(1)",
    '"><img src=x onerror=alert(1)>',
    "</style><style>*{display:none}</style>",
    "&lt;b&gt; [x](javascript:alert(1))",
    "</textarea><script>alert(2)</script>",
    "<svg onload=alert(3)>",
    "15 days</script><script>alert(4)</script>",
    "</pre></td></tr></table><script>alert(5)</script>&lt;b&gt;",
    "<img src=x onerror=alert(7)>",
)


def test_h75_the_page_is_inert_and_says_everything(bench: Open) -> None:
    case = bench("H75")
    case.change(run={"runs": 1})
    reply = json.loads(case.read("endpoint_reply.json"))["reply"]
    # with the phrase in it, a judge is asked and its reason shows up
    phrase = "15 days</script><script>alert(4)</script>"
    case.write("endpoint_reply.json", json.dumps({"reply": f"{reply} {phrase}"}))
    hostile = case.play()
    harmless = bench("H21")
    harmless.change(
        run={"runs": 1},
        endpoint_replies=[{"reply": "You have 14 days."}],
        judge={"replies": [{"status": 200, "json": {"content": NO}}]},
    )
    history = '    history:\n      - {role: user, content: "Hello"}\n'
    harmless.write("scenarios.yaml", harmless.read("scenarios.yaml").rstrip() + "\n" + history)
    plain = harmless.play()
    found = mechanical_checks().html_sets(hostile.path("report.html"), plain.path("report.html"))
    assert [problem for problem in found if not problem.endswith(": link")] == []
    page = _Words()
    page.feed(hostile.text("report.html"))
    text = "".join(page.everything)
    for payload in PAYLOADS:
        assert payload in text, payload
    head = hostile.text("report.html").encode()[:1024]
    assert b"charset" in head.lower()
    assert b"default-src 'none'" in hostile.text("report.html").encode()


NO = [{"type": "text", "text": '{"pass": false, "reason": "Not quite."}'}]


def test_h75_the_same_holds_for_cases(bench: Open) -> None:
    case = bench("H75")
    case.suite = {
        "kind": "python",
        "paths": ["cases"],
        "pattern": "*_cases.py",
        "judge": {"provider": "stub"},
    }
    outcome = case.play()
    page = _Words()
    page.feed(outcome.text("report.html"))
    text = "".join(page.everything)
    assert "<script>alert(8)</script>" in text
    assert "</script><script>alert(9)</script>" in text
    assert "script" not in page.tags
