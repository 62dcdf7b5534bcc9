"""The API reference: a page for each public header, out of what Doxygen reads in it (its XML)."""

import html
import re
import textwrap
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CppLexer

HIDDEN = ("private", "private-attrib", "private-func", "private-static-attrib", "private-static-func", "private-type")
KINDS = {"typedef": "using", "enum": "enum", "variable": "constant", "function": "function", "concept": "concept"}


def text_of(element):
    return "" if element is None else "".join(element.itertext()).strip()


def type_text(text):
    """`list< message > &key` becomes `list<message>& key`."""
    text = re.sub(r"<\s+", "<", re.sub(r"\s+>", ">", " ".join(text.split())))
    return re.sub(r"\s+([&*]+(?:\.\.\.)?)(?=[\w\s,)>]|$)", r"\1 ", text).replace(" ,", ",").replace(" )", ")").strip()


LEXER = CppLexer()
FORMATTER = HtmlFormatter(cssclass="highlight api-code", wrapcode=True)
TYPE_NAME = re.compile(r'<span class="n">(\w+)</span>(?!<span class="p">)')


def code_html(code):
    return highlight(code, LEXER, FORMATTER)


def short_name(name):
    return re.sub(r"\s+", "", name.removeprefix("weft::"))


def anchor_of(name):
    return re.sub(r"[^\w]+", ".", short_name(name)).strip(".")


class Reference:
    """All that the headers declare: `pages` by header, and where a name is explained."""

    def __init__(self, xml_folder):
        self.folder = Path(xml_folder)
        self.pages = {}  # header -> [entry], in the order of their lines
        self.names = {}  # "engine::run" -> (header, anchor)
        self.places = {}  # Doxygen's id -> (header, anchor)
        self.types = {}  # name of a type -> Doxygen's id
        self.includes = {}  # header -> the headers of weft that it includes
        self.reached = {}  # header by job -> all that it brings
        self.briefs = {}  # header -> the first sentence about what is declared first
        index = ElementTree.parse(self.folder / "index.xml").getroot()
        compounds = [c for c in index if c.get("kind") in ("class", "struct", "union", "namespace", "file", "concept")]
        self.elements = [ElementTree.parse(self.folder / f"{c.get('refid')}.xml").getroot()[0] for c in compounds]
        self.collect()

    def collect(self):
        hidden = {inner.get("refid") for e in self.elements for inner in e.findall("innerclass")
                  if inner.get("prot") == "private"}
        for element in self.elements:
            name = text_of(element.find("compoundname"))
            if element.get("kind") == "file":
                header = element.find("location").get("file")
                self.pages.setdefault(header, [])
                self.places[element.get("id")] = (header, "")
                self.includes[header] = [text_of(i) for i in element.findall("includes")]
            elif element.get("kind") == "namespace":
                for section in element.findall("sectiondef"):
                    for member in section.findall("memberdef"):
                        self.add(member, text_of(member.find("qualifiedname")))
            elif element.get("id") not in hidden and name.startswith("weft::"):
                self.add(element, name)
                for member in self.members_of(element):
                    self.place(member, f"{name}::{text_of(member.find('name'))}")
        for header, entries in self.pages.items():
            entries.sort(key=lambda entry: (name_of(entry) != Path(header).stem, line_of(entry)))
            briefs = (text_of(entry.find("briefdescription")) for entry in entries)
            self.briefs[header] = next((brief for brief in briefs if brief), "")

    def add(self, element, name):
        location = element.find("location")
        if name.startswith("weft::") and location is not None:
            self.pages.setdefault(location.get("file"), []).append(element)
            self.place(element, name)
            if element.get("kind") in ("class", "struct", "enum", "concept"):
                self.types.setdefault(short_name(name), element.get("id"))

    def place(self, element, name):
        place = (element.find("location").get("file"), anchor_of(name))
        self.places[element.get("id")] = place
        self.names.setdefault(short_name(name), place)
        for value in element.findall("enumvalue"):
            self.places[value.get("id")] = place
            self.names.setdefault(f"{short_name(name)}::{text_of(value.find('name'))}", place)

    def jobs_of(self, header):
        """The headers by job (`weft/agents.hpp`) that include this one."""
        def reached(start):
            seen, ahead = set(), [start]
            while ahead:
                one = ahead.pop()
                if one in self.includes and one not in seen:
                    seen.add(one)
                    ahead += self.includes[one]
            return seen

        if not self.reached:
            self.reached = {job: reached(job) - {job} for job in self.pages if job.count("/") == 1}
        return sorted(job for job, found in self.reached.items() if header in found)

    def members_of(self, compound):
        found = []
        for section in compound.findall("sectiondef"):
            if section.get("kind") in HIDDEN or section.get("kind").startswith("private"):
                continue
            for member in section.findall("memberdef"):
                says_nothing = section.get("kind") == "friend" or is_special(member)
                if member.get("prot") != "private" and (documented(member) or not says_nothing):
                    found.append(member)
        return sorted(found, key=line_of)


def line_of(element):
    return int(element.find("location").get("line"))


def name_of(entry):
    name = entry.find("compoundname")
    return short_name(text_of(entry.find("name") if name is None else name))


def is_special(member):
    """A destructor, an assignment, a copy or a move."""
    name, arguments = text_of(member.find("name")), text_of(member.find("argsstring"))
    return name.startswith("~") or name == "operator=" or bool(re.match(rf"\((const )?{re.escape(name)} ?&", arguments))


def documented(element):
    return bool(text_of(element.find("briefdescription")) or text_of(element.find("detaileddescription")))


class HeaderPage:
    """The Markdown of one header's page. Descriptions are HTML, so that nothing in them is taken for Markdown."""

    def __init__(self, reference, header, page_uri, sample_link):
        self.reference, self.header = reference, header
        self.page_uri, self.sample_link = page_uri, sample_link
        self.lines = []

    def markdown(self, note):
        self.lines += [f"# {self.header}", ""]
        self.raw(code_html(f"#include <{self.header}>"))
        self.raw(f'<p class="api-note">{note}</p>')
        grouped = {}
        for entry in self.reference.pages[self.header]:
            key = text_of(entry.find("compoundname")) or text_of(entry.find("qualifiedname"))
            grouped.setdefault(key, []).append(entry)
        for name, entries in grouped.items():
            self.entry(name, entries)
        return "\n".join(self.lines)

    def heading(self, level, kind, name, anchor):
        self.lines += ["", f"{'#' * level} {kind} `{name}` {{ #{anchor} }}".replace("  ", " "), ""]

    def entry(self, name, entries):
        kind = entries[0].get("kind")
        shown = KINDS.get(kind, kind)
        self.heading(2, shown, short_name(name), anchor_of(name))
        for entry in entries:
            if kind in ("class", "struct", "union"):
                self.compound(name, entry)
            else:
                self.member(entry)

    def compound(self, name, entry):
        head = f"{template_of(entry)}{entry.get('kind')} {short_name(name)}"
        bases = [f"{b.get('prot')} {type_text(text_of(b))}" for b in entry.findall("basecompoundref")]
        if template_of(entry) or bases:
            self.signature(head + (" : " + ", ".join(bases) if bases else "") + ";")
        self.describe(entry)
        members = self.reference.members_of(entry)
        self.fields(name, [m for m in members if m.get("kind") == "variable"])
        grouped = {}
        for member in members:
            if member.get("kind") != "variable":
                grouped.setdefault(text_of(member.find("name")), []).append(member)
        for member_name, overloads in grouped.items():
            self.heading(3, "", member_name, anchor_of(f"{name}::{member_name}"))
            for member in overloads:
                self.member(member)

    def fields(self, name, members):
        if not members:
            return
        rows = []
        for member in members:
            anchor = anchor_of(f"{name}::{text_of(member.find('name'))}")
            text = signature(member)
            rows.append(f'<tr id="{anchor}"><td><code>{html.escape(text)}</code></td>'
                        f"<td>{self.description(member)}</td></tr>")
        self.raw('<table class="api-fields"><tbody>' + "".join(rows) + "</tbody></table>")

    def member(self, member):
        self.signature(signature(member))
        self.describe(member)
        values = [v for v in member.findall("enumvalue") if member.get("kind") == "enum"]
        if values:
            rows = (f"<tr><td><code>{html.escape(text_of(v.find('name')))}</code></td>"
                    f"<td>{self.description(v)}</td></tr>" for v in values)
            self.raw('<table class="api-fields"><tbody>' + "".join(rows) + "</tbody></table>")

    def describe(self, element):
        description = self.description(element)
        if description:
            self.raw(f'<div class="api-text">{description}</div>')

    def signature(self, code):
        def linked(found):
            refid = self.reference.types.get(found[1])
            elsewhere = refid and self.reference.places[refid][0] != self.header
            return self.link(refid, found[1]) if elsewhere else found[0]

        self.raw(TYPE_NAME.sub(linked, code_html(code)))

    def raw(self, text):
        self.lines += [text.strip(), ""]

    def description(self, element):
        parts = (element.find("briefdescription"), element.find("detaileddescription"))
        return "".join(self.blocks(part) for part in parts if part is not None)

    # Doxygen's markup of text. A paragraph of it may contain blocks, which a <p> of HTML may not.
    def blocks(self, element):
        return "".join(self.block(child) for child in element)

    def block(self, element):
        make = getattr(self, "block_" + element.tag, None)
        return make(element) if make else self.block_para(element)

    def block_para(self, para):
        out, line = [], html.escape(para.text or "")
        for child in para:
            if hasattr(self, "block_" + child.tag):
                out += [paragraph(line), self.block(child)]
                line = ""
            else:
                line += self.inline(child)
            line += html.escape(child.tail or "")
        return "".join(out) + paragraph(line)

    def block_verbatim(self, element):
        return code_html(textwrap.dedent(element.text or "").strip("\n"))

    block_preformatted = block_verbatim

    def block_programlisting(self, element):
        lines = ("".join(code_text(line)) for line in element.findall("codeline"))
        return code_html("\n".join(lines))

    def block_itemizedlist(self, element, tag="ul"):
        items = "".join(f"<li>{self.blocks(item)}</li>" for item in element)
        return f"<{tag}>{items}</{tag}>"

    def block_orderedlist(self, element):
        return self.block_itemizedlist(element, "ol")

    def block_parameterlist(self, element):
        rows = ""
        for item in element:
            names = ", ".join(text_of(n) for n in item.iter("parametername"))
            text = self.blocks(item.find("parameterdescription"))
            rows += f"<dt><code>{html.escape(names)}</code></dt><dd>{text}</dd>"
        title = {"param": "Parameters", "templateparam": "Template parameters"}.get(element.get("kind"), "Throws")
        return f'<p class="api-section">{title}</p><dl>{rows}</dl>'

    def block_simplesect(self, element):
        title = text_of(element.find("title")) or {"return": "Returns", "see": "See also"}.get(
            element.get("kind"), element.get("kind").capitalize())
        body = "".join(self.block(child) for child in element if child.tag != "title")
        if title in ("Example", "Source"):
            body = re.sub(r"samples/[\w/]+\.(?:cpp|hpp)", lambda found: self.sample_link(found[0]), body)
        return f'<p class="api-section">{html.escape(title)}</p>{body}'

    def inline(self, element):
        inner = html.escape(element.text or "") + "".join(
            self.inline(child) + html.escape(child.tail or "") for child in element)
        if element.tag == "ref":
            return self.link(element.get("refid"), inner)
        if element.tag == "ulink":
            return f'<a href="{html.escape(element.get("url"))}">{inner}</a>'
        tags = {"computeroutput": "code", "bold": "strong", "emphasis": "em"}
        signs = {"linebreak": "<br>", "nonbreakablespace": "&nbsp;", "ndash": "–", "mdash": "—", "sp": " "}
        if element.tag in tags:
            return f"<{tags[element.tag]}>{inner}</{tags[element.tag]}>"
        return signs.get(element.tag, inner)

    def link(self, refid, inner):
        place = self.reference.places.get(refid)
        if place is None:
            return inner
        return f'<a href="{self.page_uri(*place)}">{inner}</a>'


def paragraph(line):
    return f"<p>{line.strip()}</p>" if line.strip() else ""


def code_text(element):
    yield element.text or ""
    for child in element:
        if child.tag == "sp":
            yield " "
        yield from code_text(child)
        yield child.tail or ""


def template_of(element):
    parameters = element.find("templateparamlist")
    if parameters is None:
        return ""
    shown = []
    for parameter in parameters:
        words = f"{text_of(parameter.find('type'))} {text_of(parameter.find('declname'))}".strip()
        default = text_of(parameter.find("defval"))
        shown.append(type_text(words) + (f" = {type_text(default)}" if default else ""))
    requires = text_of(element.find("requiresclause"))
    return f"template <{', '.join(shown)}>\n" + (f"    requires {requires}\n" if requires else "")


def signature(member):
    kind, name = member.get("kind"), text_of(member.find("name"))
    kept_type = type_text(text_of(member.find("type")))
    initial = text_of(member.find("initializer"))
    if kind == "enum":
        return f"enum class {name}" + (f" : {kept_type}" if kept_type else "") + ";"
    if kind == "concept":
        return text_of(member.find("initializer"))
    if kind == "typedef":
        return f"{template_of(member)}using {name} = {kept_type};"
    if kind == "variable":
        arguments = type_text(text_of(member.find("argsstring")))  # of a pointer to a function
        shown = f" {initial}" if initial and len(initial) < 60 else ""
        return f"{template_of(member)}{kept_type} {name}{arguments}{shown}"
    words = [word for word in ("explicit", "static") if member.get(word) == "yes"]
    if member.get("virt") in ("virtual", "pure-virtual"):
        words.append("virtual")
    head = " ".join([*words, kept_type]).strip()
    arguments = type_text(text_of(member.find("argsstring")))
    line = f"{head} {name}{arguments};".strip()
    if len(line) > 96 and ", " in arguments:
        line = f"{head} {name}(\n    ".strip() + broken(arguments[1:]) + ";"
    return template_of(member) + line


def broken(arguments):
    """One argument a line: cut at the commas that are in no bracket of their own."""
    out, depth = "", 0
    for sign in arguments:
        depth += (sign in "([{<") - (sign in ")]}>")
        out += ",\n   " if sign == "," and depth == 0 else sign
    return out
