// Tables that sort by a click on a heading and show the rows that a text in their box describes.
//
//   tp=8 mfu>=0.5 none     every word must hold: a column, a comparison and a number or text; or a text of any cell
"use strict";

const kShown = 200;  // rows of a long table at first, and more with each click

// ---- cells: {value: what sorts and filters, text: what is shown}

// A column says its one value, or its distinct values, and which of them each row has: by itself, as an earlier column
// does, or one after the other (cli/render/html_columns.cc).
function columnReader(column, columns) {
  if ("all" in column) return () => column.all;
  const at = "as" in column ? columns[column.as].at : column.at;
  return at ? row => column.of[at[row]] : row => column.of[row];
}

function shown(value) {
  if (value === null) return "";
  if (value === true || value === false) return value ? "yes" : "no";
  return String(value);
}

// Rows of a table that was written as such.
function writtenRows(table) {
  return [...table.tBodies[0].rows].map(row => ({
    element: row,
    cells: [...row.cells].map(cell => {
      const value = cell.dataset.value;
      return {value: value === undefined ? cell.textContent : value === "" ? null : Number(value), text: cell.textContent};
    })
  }));
}

// Rows that were written as columns of values.
function packedRows(packed) {
  const readers = packed.columns.map(column => columnReader(column, packed.columns));
  const rows = [];
  for (let i = 0; i < packed.count; ++i)
    rows.push({
      element: null,
      cells: readers.map(read => ({value: read(i), text: shown(read(i))}))
    });
  return rows;
}

function elementOf(row, figures) {
  if (row.element) return row.element;
  row.element = document.createElement("tr");
  row.cells.forEach((cell, i) => {
    const element = row.element.insertCell();
    element.textContent = cell.text;
    if (figures[i]) element.className = "figure";
  });
  return row.element;
}

// ---- order and choice of rows

function compared(a, b) {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;  // nothing stands last
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", {numeric: true});
}

const kComparisons = {
  "=": order => order === 0, "!=": order => order !== 0, "<": order => order < 0, "<=": order => order <= 0,
  ">": order => order > 0, ">=": order => order >= 0
};

// A word of the box as a function of a row's cells.
function condition(word, names) {
  const parts = /^(.+?)(!=|<=|>=|=|<|>)(.+)$/.exec(word);
  const column = parts ? names.findIndex(name => name === parts[1] || name.endsWith("." + parts[1])) : -1;
  if (column < 0) return cells => cells.some(cell => cell.text.toLowerCase().includes(word));
  const number = Number(parts[3]);
  return cells => {
    const {value, text} = cells[column];
    if (value === null) return false;
    if (typeof value === "number" && !Number.isNaN(number)) return kComparisons[parts[2]](compared(value, number));
    return kComparisons[parts[2]](compared(text.toLowerCase(), parts[3]));
  };
}

function chosen(rows, text, names) {
  const conditions = text.toLowerCase().split(/\s+/).filter(word => word).map(word => condition(word, names));
  return rows.filter(row => conditions.every(holds => holds(row.cells)));
}

// ---- a table

function start(table, rows) {
  const headings = [...table.tHead.rows[0].cells];
  const names = headings.map(heading => (heading.dataset.name || heading.textContent).toLowerCase());
  const figures = headings.map(heading => heading.classList.contains("figure"));
  const section = table.closest("section");
  const box = section.querySelector("input"), count = section.querySelector(".count");
  const more = section.querySelector(".more");
  const state = {column: -1, falling: false, limit: kShown};

  function draw() {
    let visible = chosen(rows, box ? box.value : "", names);
    if (state.column >= 0) {
      const {column, falling} = state;
      visible = [...visible].sort((a, b) => {
        const [x, y] = [a.cells[column].value, b.cells[column].value];
        return x === null || y === null || !falling ? compared(x, y) : compared(y, x);
      });
    }
    table.tBodies[0].replaceChildren(...visible.slice(0, state.limit).map(row => elementOf(row, figures)));
    if (count) count.textContent = visible.length === rows.length ? `${rows.length} rows` : `${visible.length} of ${rows.length} rows`;
    if (more) more.hidden = visible.length <= state.limit;
  }

  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      state.falling = state.column === column ? !state.falling : figures[column];
      state.column = column;
      headings.forEach(other => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", state.falling ? "descending" : "ascending");
      draw();
    });
  });
  if (box) box.addEventListener("input", draw);
  if (more) more.addEventListener("click", () => { state.limit += kShown * 5; draw(); });
  addEventListener("beforeprint", () => { state.limit = Infinity; draw(); });
  draw();
}

for (const table of document.querySelectorAll("table")) {
  if (!table.tHead) continue;
  const packed = table.dataset.rows ? JSON.parse(document.getElementById(table.dataset.rows).textContent) : null;
  start(table, packed ? packedRows(packed) : writtenRows(table));
}
