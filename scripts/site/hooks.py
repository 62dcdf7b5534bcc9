"""Hooks of MkDocs: pages that do not lie in docs/, links between all of them, and the API reference."""

import html
import posixpath
import re
import sys
from pathlib import Path

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
from api import HeaderPage, Reference  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[([^]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
LEFT_ALONE = re.compile(r"(<(a|h\d|pre)\b.*?</\2>)", re.DOTALL)
# Pages about graph files and the command line, where `retry_policy` is no type of C++.
WITHOUT_CPP = ("GRAPH_FILES.md", "PROGRAM.md")
# Any name, even one that is also an English word, is meant as C++ here.
ALL_CPP = ("HEADERS.md", "INDEX.md")


RANKED_LOWER = "---\nsearch: {boost: 0.2}\n---\n"
NOT_SEARCHED = "---\nsearch: {exclude: true}\n---\n"
HOME = "---\nhide: [navigation]\n---\n"


class Site:
    reference = None
    origins = {}  # page -> the file of the repository that it shows
    pages = {}  # file of the repository -> page


site = Site()


def on_config(config):
    site.reference = Reference(ROOT / "build" / "site-xml" / "xml")
    decisions = sorted(Path(config.docs_dir, "decisions").glob("*.md"))
    for section in config.nav:
        for entries in section.values():
            if isinstance(entries, list) and "decisions" in entries:
                entries.remove("decisions")
                entries.append({"Decisions": [f"decisions/{page.name}" for page in decisions]})
    return config


def on_files(files, config):
    def generate(uri, content, origin=None):
        files.append(File.generated(config, uri, content=content))
        if origin:
            site.pages[origin] = uri

    site.pages = {f"docs/{file.src_uri}": file.src_uri for file in files}
    files.remove(files.get_file_from_path("README.md"))
    for origin, uri in (("README.md", "index.md"), ("docs/README.md", "pages.md"), ("CHANGELOG.md", "CHANGELOG.md")):
        generate(uri, (HOME if uri == "index.md" else "") + (ROOT / origin).read_text(), origin)
    samples = sorted(ROOT.glob("samples/**/*.[ch]pp"), key=sample_order)
    for path in samples:
        origin = str(path.relative_to(ROOT))
        generate(f"{origin.replace('.', '_')}.md", NOT_SEARCHED + sample_page(origin, path.read_text()), origin)
    generate("samples/index.md", samples_page(samples), "samples")
    site.pages["docs/decisions"] = "decisions/" + min(
        p.name for p in Path(config.docs_dir, "decisions").glob("*.md"))
    site.origins = {uri: origin for origin, uri in site.pages.items()}
    for header in site.reference.pages:
        generate(api_uri(header), RANKED_LOWER + header_page(header))
    generate("api/index.md", api_index())
    return files


def on_page_markdown(markdown, page, config, files):
    origin = site.origins.get(page.file.src_uri)
    if origin is None or origin.startswith("samples"):
        return markdown
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else relinked(part, origin, page.file.src_uri) for part in parts)


def on_page_content(content, page, config, files):
    uri = page.file.src_uri
    if not uri.startswith("api/"):
        parts = LEFT_ALONE.split(content)  # text, element, its tag, text, …
        for i in range(0, len(parts), 3):
            parts[i] = re.sub(r"<code>([^<]+)</code>", lambda found: linked_name(found, uri), parts[i])
        content = "".join(part for i, part in enumerate(parts) if i % 3 != 2)
    # #include <weft/…> in code.
    return re.sub(r'(?<=<span class="cpf">)&lt;(weft/[\w/]+\.hpp)&gt;',
                  lambda found: f"&lt;{header_link(found[1], uri, found[1])}&gt;", content)


def relinked(text, origin, uri):
    def target(found):
        text, path, anchor = found[1], found[2], found[3] or ""
        if not path or ":" in path:
            return found[0]
        named = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
        goal = site.pages.get(named)
        if goal is None and named.startswith("include/"):
            goal = api_uri(named.removeprefix("include/"))
        if goal is None:
            return found[0]
        if named.endswith(".md") and text == posixpath.basename(path):  # its title says more
            text = re.search(r"^# (.*)", (ROOT / named).read_text(), re.MULTILINE)[1]
        return f"[{text}]({relative(goal, uri)}{anchor})"

    return LINK.sub(target, text)


def relative(goal, uri):
    return posixpath.relpath(goal, posixpath.dirname(uri) or ".")


def to_html(uri):
    return uri.removesuffix(".md") + ".html"


def api_uri(header):
    return f"api/{header.removesuffix('.hpp')}.md"


def api_href(header, anchor, uri):
    goal = relative(to_html(api_uri(header)), uri)
    return f"{goal}#{anchor}" if anchor else goal


def header_link(header, uri, shown):
    if header not in site.reference.pages:
        return shown
    return f'<a href="{api_href(header, "", uri)}">{shown}</a>'


def linked_name(found, uri):
    code = html.unescape(found[1])
    if re.fullmatch(r"weft/[\w/]+\.hpp", code):
        return header_link(code, uri, found[0])
    name = code.removeprefix("weft::").removesuffix("()").removesuffix("<T>")
    certain = "::" in name or "_" in name or code.endswith("()")
    place = site.reference.names.get(name)
    if place is None or uri in WITHOUT_CPP or not (certain or uri in ALL_CPP):
        return found[0]
    return f'<a href="{api_href(*place, uri)}">{found[0]}</a>'


def sample_order(path):
    number = re.match(r"\d+", path.name)
    return (path.parent != ROOT / "samples", int(number[0]) if number else 1000, path.name)


def sample_page(origin, text):
    without_markers = re.sub(r"^ *// \[/?\w+\]\n", "", text, flags=re.MULTILINE)
    return f"# {origin}\n\n```cpp\n{without_markers}```\n"


def samples_page(samples):
    lines = ["# Samples", "", "Each program adds one idea, compiles with weft and runs as a test.", "", "| program | |",
             "|---|---|"]
    for path in samples:
        origin = str(path.relative_to(ROOT))
        comment = re.match(r"(?://(.*)\n)+", path.read_text())
        words = " ".join(line.strip("/ ") for line in comment[0].splitlines()) if comment else ""
        sentence = re.split(r"(?<=[.:]) (?=[A-Z])", words)[0].rstrip(":")
        sentence = html.escape(re.sub(r"^Sample \d+, (.)", lambda found: found[1].upper(), sentence))
        page = f"{origin.removeprefix('samples/').replace('.', '_')}.md"
        lines.append(f"| [{origin.removeprefix('samples/')}]({page}) | {sentence} |")
    return "\n".join(lines) + "\n"


def header_page(header):
    uri = api_uri(header)

    def sample_link(name):
        goal = site.pages.get(name)
        return f'<a href="{relative(to_html(goal), uri)}">{name}</a>' if goal else name

    def header_href(name):
        return header_link(name, uri, f"<code>{name}</code>")

    page = HeaderPage(site.reference, header, lambda name, anchor: api_href(name, anchor, uri), sample_link)
    floor = header.split("/")[1] if header.count("/") > 1 else "by-job"
    note = f'<a href="{relative("api/index.html", uri)}#{floor}">All headers</a>'
    if jobs := site.reference.jobs_of(header):
        note += " · comes with " + ", ".join(map(header_href, jobs))
    if floor == "by-job":
        note += f"</p>{file_comment(header)}<p>Includes "
        note += ", ".join(map(header_href, site.reference.includes[header])) + "."
    return page.markdown(note)


def file_comment(header):
    """What a header by job says of itself: Doxygen gives no comment that stands before includes."""
    found = re.search(r"#pragma once\s+/\*\*(.*?)\*/", (ROOT / "include" / header).read_text(), re.DOTALL)
    text = re.sub(r"^ \* ?", "", found[1] if found else "", flags=re.MULTILINE)
    paragraphs = (html.escape(" ".join(part.split())) for part in text.split("\n\n"))
    return "".join("<p>" + re.sub(r"`(.*?)`", r"<code>\1</code>", part) + "</p>" for part in paragraphs)


FLOORS = {
    "by-job": "By job", "base": "Base: errors, JSON, units", "async": "Async: tasks, scopes, timers",
    "chat": "Chat: messages and tool calls", "graph": "Graph: keys, edges, nodes, builder",
    "engine": "Engine: runs, events, durable runs", "store": "Store: checkpoints and memories",
    "model": "Model: providers and decorators", "tool": "Tool: functions and MCP servers", "agent": "Agent",
    "net": "Net: HTTP, TLS, URLs", "observe": "Observe: where events go", "drawing": "Drawing",
    "facade": "Facade: interfaces of other systems", "testing": "Testing",
}


def api_index():
    floors = {}
    for header in sorted(site.reference.pages):
        floors.setdefault(header.split("/")[1] if header.count("/") > 1 else "by-job", []).append(header)
    lines = ["# API reference", "",
             "A page for each public header, made from the comments in it. [HEADERS.md](../HEADERS.md) lists the names "
             "that programs use most.", ""]
    for floor in sorted(floors, key=lambda name: list(FLOORS).index(name) if name in FLOORS else len(FLOORS)):
        lines += [f"## {FLOORS.get(floor, floor)} {{ #{floor} }}", "", "| header | |", "|---|---|"]
        for header in floors[floor]:
            own = re.sub("<.*?>", "", re.split(r"(?<=[.]) ", file_comment(header))[0]) if floor == "by-job" else ""
            brief = re.sub(r"([|_*])", r"\\\1", own or html.escape(site.reference.briefs[header]))
            page = api_uri(header).removeprefix("api/")
            lines.append(f"| [`{header.removeprefix('weft/' + floor + '/')}`]({page}) | {brief} |")
        lines.append("")
    return "\n".join(lines)
