"""What mkdocs --strict does not see in a built site: links to places that are not there, and what is loaded from other hosts.

usage: python3 tests/site.py SITE; exit status 1 if there is any
"""
import html.parser
import os
import sys

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
STYLES = {"stylesheet", "icon", "preload", "preconnect", "prefetch"}


class Page(html.parser.HTMLParser):
    """Places of a page, where it links to, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links, self.loads = set(), [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places.update(filter(None, (found.get("id"), found.get("name"))))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "link" and STYLES & set((found.get("rel") or "").split()):
            self.loads.append(found.get("href") or "")
        if found.get(LOADED.get(tag)):
            self.loads.append(found[LOADED[tag]])


def foreign(link):
    return link.startswith("//") or ":" in link.split("/")[0]


def problems(site):
    files = [os.path.join(folder, name) for folder, _, names in os.walk(site) for name in names]
    # The page of an unknown address has absolute links, since its own address is unknown.
    pages = {path: Page(path) for path in sorted(files) if path.endswith(".html") and os.path.basename(path) != "404.html"}
    for path, page in pages.items():
        yield from (f"{path} loads {link}" for link in page.loads if foreign(link) and not link.startswith("data:"))
        for link in page.links:
            if foreign(link):
                continue
            file, _, place = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            known = pages[target].places if target in pages else set()
            if not os.path.exists(target) or place and target in pages and place not in known:
                yield f"{path} links to {link}, which is not there"
    for path in files:
        if path.endswith(".css"):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if "url(http" in text or "url(//" in text or "@import" in text:
                yield f"{path} loads from other hosts"


found = sorted(set(problems(os.path.normpath(sys.argv[1]))))
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
