#!/usr/bin/env bash
# Opens the HTML page of an example of each command in Chromium: its script runs without an error, every table sorts by
# every column in both directions and filters, and nothing is taken from elsewhere. At 800 and 1280 pixels no label of a
# picture covers another or leaves it; printed on A4 no table is cut.
# usage: tests/html_test.sh SOURCE_DIR TRAINPLAN [FOLDER]; exit status 77: there is no Chromium. FOLDER keeps the pages.
set -euo pipefail
cd "$1"
program=$2
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[[ -n $browser ]] || { echo 'no chromium: skipped'; exit 77; }
folder=${3:-$(mktemp -d)}
mkdir -p "$folder"
[[ -n ${3:-} ]] || trap 'rm -rf "$folder"' EXIT

# Clicks on every heading twice, writes into each box, and says what it saw in the attribute that the shell reads.
read -r -d '' probe <<'JS' || true
<script>
(() => {
  let tables = 0, columns = 0, filters = 0;
  const wrong = [];
  const value = cell => cell.dataset.value === undefined ? Number(cell.textContent) : Number(cell.dataset.value);
  const blank = cell => cell.dataset.value === "" || cell.textContent === "" || cell.textContent === "-";
  for (const table of document.querySelectorAll("table")) {
    if (!table.tHead) continue;
    ++tables;
    const rows = () => [...table.tBodies[0].rows];
    const before = rows().length;
    [...table.tHead.rows[0].cells].forEach((heading, i) => {
      ++columns;
      for (let click = 0; click < 2; ++click) {
        heading.querySelector("button").click();
        const falling = heading.getAttribute("aria-sort") === "descending";
        if (!heading.hasAttribute("aria-sort")) wrong.push(`${heading.textContent}: not sorted`);
        const cells = rows().map(row => row.cells[i]).filter(cell => !blank(cell));
        const values = cells.map(value);
        if (values.some(Number.isNaN)) continue;
        for (let k = 1; k < values.length; ++k)
          if (falling ? values[k] > values[k - 1] : values[k] < values[k - 1])
            wrong.push(`${heading.textContent}: ${values[k - 1]} before ${values[k]}`);
      }
      if (rows().length !== before) wrong.push(`${heading.textContent}: rows were lost`);
    });
    const box = table.closest("section").querySelector("input");
    if (!box) continue;
    ++filters;
    const fill = text => { box.value = text; box.dispatchEvent(new Event("input")); return rows().length; };
    if (fill("no cell says this") !== 0) wrong.push("a text that is nowhere leaves rows");
    if (fill("nothing_such<=1") !== before) wrong.push("an unknown column hides rows");
    if (!table.closest("section").querySelector(".count").textContent.startsWith("no column 'nothing_such'"))
      wrong.push("an unknown column is not reported");
    [...table.tHead.rows[0].cells].forEach((heading, i) => {
      const cell = rows().map(row => row.cells[i]).find(one => !blank(one) && one.dataset.value !== undefined);
      const name = heading.textContent.trim();
      if (!cell || /[\s<>=]/.test(name)) return;
      const count = fill(`${name}>=${cell.textContent.replace(/\s/g, "")}`);
      fill("");
      if (count === 0) wrong.push(`${name}>=${cell.textContent} leaves no row`);
    });
    if (fill("") !== before) wrong.push("an empty box hides rows");
  }
  const labels = [...document.querySelectorAll("figure svg text")];
  const boxes = labels.map(label => label.getBoundingClientRect());
  const page = labels.length ? labels[0].closest("svg").getBoundingClientRect() : null;
  boxes.forEach((box, i) => {
    if (box.left < page.left - 1 || box.right > page.right + 1) wrong.push(`'${labels[i].textContent}' leaves the picture`);
    for (let k = 0; k < i; ++k)
      if (Math.min(box.right, boxes[k].right) - Math.max(box.left, boxes[k].left) > 1 &&
          Math.min(box.bottom, boxes[k].bottom) - Math.max(box.top, boxes[k].top) > 3)
        wrong.push(`'${labels[i].textContent}' covers '${labels[k].textContent}'`);
  });
  if (document.documentElement.dataset.printed && document.documentElement.scrollWidth > document.documentElement.clientWidth)
    wrong.push(`${document.documentElement.scrollWidth} pixels do not fit on ${document.documentElement.clientWidth}`);
  if (!/\d/.test(document.querySelector("h1").textContent)) wrong.push("the title has no figure");
  document.body.dataset.probe = `${tables} tables, ${columns} columns, ${filters} filters, ${wrong.length} wrong: ${wrong.slice(0, 5).join("; ")}`;
})();
</script>
JS

open() {  # open PAGE WIDTH: its DOM on standard output, what its console says in a file
  "$browser" --headless --no-sandbox --hide-scrollbars --window-size="$2",900 --disable-gpu --user-data-dir="$folder/profile" --enable-logging=stderr --v=0 \
    --virtual-time-budget=4000 --dump-dom "file://$1" 2>"$folder/console" || true
}

opened=0 failed=0
complain() { printf '%s: %s\n' "$name" "$1"; failed=$((failed + 1)); }
for name in plan search compare clusters sweep ops comm roadmap scale seqpoint validate list; do
  line=$("$program" help "$name" | sed -n '/^examples:$/,$s/^    trainplan //p' | head -n 1)
  page=$folder/$name.html
  eval "\"\$program\" $line --quiet --format html" >"$page" </dev/null || complain "'$line --format html' failed"
  grep -qE '(src|href)="?https?:|@import|url\(' "$page" && complain 'takes something from elsewhere'
  [[ $(wc -c <"$page") -lt 1000000 ]] || complain 'is larger than 1 MB'
  { sed '/^<\/body>/,$d' "$page"; printf '%s\n</body></html>\n' "$probe"; } >"$folder/probe.html"
  # A4 less its margins is 703 pixels wide.
  sed -e 's/@media print/@media all/; s/<html /<html data-printed="yes" /' "$folder/probe.html" >"$folder/printed.html"
  for view in probe:800 probe:1280 printed:703; do
    seen=$(open "$folder/${view%:*}.html" "${view#*:}" | grep -oE 'data-probe="[^"]*"' || true)
    grep -E 'CONSOLE.*(Error|error)' "$folder/console" && complain 'its script failed'
    [[ $seen == *' 0 wrong: '* && $seen != *'"0 tables'* ]] || complain "at $view the page says ${seen:-nothing}"
  done
  opened=$((opened + 1))
done
printf '%s pages, %s failed\n' "$opened" "$failed"
[[ $opened -gt 0 && $failed -eq 0 ]]
