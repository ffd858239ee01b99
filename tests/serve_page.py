"""The page of `trainplan serve` in Chromium: form, sliders, pictures, mistakes, light and dark.

usage: python3 serve_page.py TRAINPLAN BROWSER [FOLDER]; FOLDER keeps pictures of the page.
       python3 serve_page.py TRAINPLAN BROWSER --bench: a Markdown table of how long a move of a slider takes
"""

from __future__ import annotations

import base64
import os
import statistics
import sys
import unittest
from typing import List

sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402
from served import Served  # noqa: E402

PROGRAM = BROWSER = FOLDER = ""
SLIDERS = ("job.global_batch", "cluster.price", "job.sequence", "cluster.gpus")

# After a change: resolves when a view has drawn it and laid it out, with the milliseconds that this took.
CHANGE = """(async () => {{
  const begin = performance.now(), open = {views};
  const times = Promise.all(open.map(path => new Promise(done => {{
    const look = event => {{
      if (event.detail !== path) return;
      document.removeEventListener("drawn", look);
      requestAnimationFrame(() => done(performance.now() - begin));
    }};
    document.addEventListener("drawn", look);
  }})));
  {change};
  return times;
}})()"""
SLIDER = """(range => {{ range.value = {value}; range.dispatchEvent(new Event("input")); }})
  (document.querySelector('.slider[data-path="{path}"] input'))"""
FIELD = """(input => {{ input.value = "{value}"; input.dispatchEvent(new Event("change")); }})
  (document.getElementById("{path}"))"""



def open_page(browser: Browser, address: str) -> None:
    browser.open("about:blank")  # another part behind '#' alone would not load the page
    browser.open(address)
    browser.run("""new Promise((done, fail) => {
      setTimeout(() => fail(new Error("nothing was drawn")), 20000);
      const look = () => document.querySelector("[data-path=machines] figure svg") ? done() : setTimeout(look, 20);
      look();
    })""")


def change(browser: Browser, script: str) -> List[float]:
    """The milliseconds until plan and machines are drawn."""
    return browser.run(CHANGE.format(change=script, views='["plan", "machines"]'))


def bench(moves: int = 52) -> None:
    with Served(PROGRAM, "example:gpt3-175b") as server, Browser(BROWSER) as browser:
        open_page(browser, server.address)
        times = [change(browser, SLIDER.format(path=SLIDERS[move % 4], value=1 + move // 4 % 2)) for move in range(moves)]
    print(f"| view | ms until it is drawn, median of {moves} moves | slowest |\n| --- | ---: | ---: |")
    for view, of_view in zip(("the plan and its picture", "three machines"), zip(*times)):
        print(f"| {view} | {statistics.median(of_view):.0f} | {max(of_view):.0f} |")


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server, cls.browser = Served(PROGRAM, "example:gpt3-175b"), Browser(BROWSER)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.__exit__()
        cls.server.__exit__()

    def setUp(self) -> None:
        self.browser.events.clear()
        open_page(self.browser, self.server.address)

    def tearDown(self) -> None:
        if FOLDER:
            data = self.browser.call("Page.captureScreenshot")["data"]
            with open(os.path.join(FOLDER, f"serve-{self._testMethodName}.png"), "wb") as file:
                file.write(base64.b64decode(data))
        self.assertEqual(self.troubles(), [])

    def troubles(self) -> List[str]:
        """What the console says, exceptions, and requests to elsewhere."""
        seen = self.browser.seen
        return [str(one) for one in seen("Runtime.exceptionThrown") + seen("Runtime.consoleAPICalled") +
                seen("Log.entryAdded") + seen("Network.requestWillBeSent", lambda one: not one["request"]["url"].startswith(
                    (self.server.address, "data:", "about:")))]

    def change(self, script: str) -> None:
        change(self.browser, script)

    def text(self, selector: str) -> str:
        return self.browser.run(f"document.querySelector('{selector}').textContent")

    def test_form_from_the_schema(self) -> None:
        paths = self.browser.run("[...document.querySelectorAll('.field')].map(row => row.dataset.path)")
        self.assertGreater(len(paths), 100)
        for path in ("job.global_batch", "parallelism.tp", "cluster.gpu.memory", "model.layers"):
            self.assertIn(path, paths)
        words = self.browser.run("[...document.getElementById('parallelism.recompute').options].map(one => one.text)")
        self.assertIn("full", words)
        title = self.browser.run("document.querySelector('.field[data-path=\"job.global_batch\"]').title")
        self.assertIn("sequences", title)
        sliders = self.browser.run("[...document.querySelectorAll('.slider')].map(row => row.dataset.path)")
        self.assertEqual(sliders[:3], ["cluster.gpus", "job.global_batch", "job.sequence"])
        self.assertEqual(len(sliders), 5)

    def test_sliders_redraw_the_plan_and_its_pictures(self) -> None:
        for path in SLIDERS:
            shown = set()
            for value in (1, 2, 0):
                self.change(SLIDER.format(path=path, value=value))
                shown.add(self.text("[data-path=plan] h1 ~ *") + self.text("[data-path=plan] figure svg"))
            self.assertGreater(len(shown), 1, path)
        for view in ("plan", "machines"):
            self.assertTrue(self.browser.run(f"!!document.querySelector('[data-path={view}] figure svg')"))
        self.assertIn("stage", self.text("[data-path=plan] figure svg"))

    def test_changes_stay_after_a_reload_and_go_with_the_button(self) -> None:
        self.change(FIELD.format(path="job.global_batch", value="768"))
        self.assertIn("--set job.global_batch='768'", self.text(".set code"))
        self.assertIn("job.global_batch=768", self.text("[data-path=plan] .command"))
        open_page(self.browser, self.server.address + "#job.global_batch=768")
        self.assertIn("job.global_batch=768", self.text("[data-path=plan] .command"))
        self.change("document.querySelector('.reset').click()")
        self.assertNotIn("--set", self.text("[data-path=plan] .command"))

    def test_a_mistake_is_at_its_field(self) -> None:
        self.change(FIELD.format(path="job.global_batch", value="-3"))
        self.assertIn("must be at least 1, got -3", self.text("[data-path=\"job.global_batch\"] .wrong"))
        self.assertTrue(self.browser.run("document.querySelector('.trouble').hidden"))
        self.change(FIELD.format(path="job.global_batch", value="1536"))
        self.assertEqual(self.text("[data-path=\"job.global_batch\"] .wrong"), "")

    def test_fields_that_follow_others_follow(self) -> None:
        self.change(FIELD.format(path="model.use", value="llama3-8b"))
        layers = self.browser.run("""new Promise(done => {
          const look = () => document.getElementById("model.layers").value === "96" ? setTimeout(look, 20)
            : done(document.getElementById("model.layers").value);
          look();
        })""")
        self.assertEqual(layers, "32")
        self.assertIn("llama3-8b", self.text("[data-path=plan] h1"))

    def test_what_does_not_fit_says_why(self) -> None:
        self.change(FIELD.format(path="cluster.gpus", value="100"))
        self.assertIn("not feasible", self.text("[data-path=plan] h1"))

    def test_light_and_dark_wide_and_narrow(self) -> None:
        shades = {}
        for scheme in ("light", "dark"):
            self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            color = self.browser.run("getComputedStyle(document.body).backgroundColor")
            shades[scheme] = sum(int(part) for part in color[4:-1].split(","))
        self.assertGreater(shades["light"], 600)
        self.assertLess(shades["dark"], 150)
        for width in (700, 1280, 1900):
            self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                              mobile=False)
            self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)


class End(unittest.TestCase):
    def test_the_page_says_that_the_server_has_ended(self) -> None:
        with Served(PROGRAM, "example:gpt3-175b") as server, Browser(BROWSER) as browser:
            browser.open(server.address)
            browser.run("new Promise(done => { const look = () => document.querySelector('figure svg') && "
                        "document.querySelector('.field') ? done() : setTimeout(look, 20); look(); })")
            server.end()
            browser.run(FIELD.format(path="job.global_batch", value="768"))
            said = browser.run("new Promise(done => { const look = () => document.querySelector('.trouble').hidden ? "
                               "setTimeout(look, 20) : done(document.querySelector('.trouble').textContent); look(); })")
            self.assertIn("the server has ended", said)


if __name__ == "__main__":
    PROGRAM, BROWSER = os.path.realpath(sys.argv.pop(1)), sys.argv.pop(1)
    if sys.argv[1:] == ["--bench"]:
        bench()
        sys.exit()
    FOLDER = sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]) else ""
    unittest.main()
