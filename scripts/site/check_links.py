"""Checks the site in a folder: every link and anchor leads somewhere, and nothing is loaded from another machine."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = {"", "__top"}, set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.ids.add(named.get("id") or named.get("name") if tag != "meta" else "")
        if tag == "a" and named.get("href"):
            self.links.add(named["href"])
        elif tag == "link" and named.get("rel") not in ("canonical", "prev", "next") and named.get("href"):
            self.loaded.add(named["href"])
        elif named.get("src"):
            self.loaded.add(named["src"])


def check(folder):
    pages = {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html")) if path.name != "404.html"}
    mistakes, links = [], 0
    for path, page in pages.items():
        name = path.relative_to(folder)
        mistakes += [f"{name}: loads {url}" for url in page.loaded if urlparse(url).netloc]
        for url in sorted(page.links | page.loaded):
            parts = urlparse(url)
            if parts.scheme or parts.netloc:
                continue
            links += 1
            file, anchor = urldefrag(url)
            goal = (path.parent / unquote(file)).resolve() if file else path
            if not goal.is_file():
                mistakes.append(f"{name}: no page {url}")
            elif goal in pages and unquote(anchor) not in pages[goal].ids:
                mistakes.append(f"{name}: no anchor {url}")
    return len(pages), links, mistakes


if __name__ == "__main__":
    count, links, mistakes = check(Path(sys.argv[1]).resolve())
    for mistake in mistakes:
        print(mistake)
    print(f"{count} pages, {links} links, {len(mistakes)} mistakes")
    sys.exit(1 if mistakes or links < 1000 else 0)
