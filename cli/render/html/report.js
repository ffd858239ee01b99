// Tables that sort by a click on a heading and show the rows that a text in their box describes.
//
//   tp=8 mfu>=50% run<=20d none     every word must hold: a column, by its name or heading, a comparison and a figure
//                                   or text; or a text of any cell. A figure without a unit is in the column's own.
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

// "861.9 kUSD" as [861.9, "kusd"].
function figureOf(text) {
  const parts = /^([-+]?[\d.]+(?:e[-+]?\d+)?)\s*([^\s\d][^\s]*)?$/.exec(text.trim().toLowerCase());
  return parts ? [Number(parts[1]), parts[2] || ""] : null;
}

const kBinary = [1, 2, 3, 4, 5].map(power => 1024 ** power);

// What one of a unit is in the values of a column, by its cells: {kusd: 1000, usd: 1}; "" is the unit of most cells.
function unitsOf(rows, column) {
  const sizes = {}, counts = {};
  for (const {cells} of rows) {
    const {value, text} = cells[column], figure = figureOf(text);
    if (typeof value !== "number" || !value || !figure || !figure[0]) continue;
    const [number, unit] = figure, is = Math.abs(value / number);
    sizes[unit] = kBinary.find(size => Math.abs(is / size - 1) < 0.01) || Number(is.toPrecision(3));
    counts[unit] = (counts[unit] || 0) + 1;
  }
  const usual = Object.keys(counts).sort((a, b) => counts[b] - counts[a])[0];
  return {...sizes, "": usual === undefined ? 1 : sizes[usual]};
}

const kComparison = /^(.+?)(!=|<=|>=|=|<|>)(.+)$/;

function columnOf(name, names, headings) {
  const named = names.findIndex(its => its === name || its.endsWith("." + name));
  return named >= 0 ? named : headings.indexOf(name);
}

// A word of the box as a function of a row's cells. A comparison with a column that is not there is a mistake.
function condition(word, table, mistakes) {
  const parts = kComparison.exec(word);
  if (!parts) return cells => cells.some(cell => cell.text.toLowerCase().includes(word));
  const column = columnOf(parts[1], table.names, table.headings);
  if (column < 0) mistakes.push(`no column '${parts[1]}'`);
  const figure = figureOf(parts[3]), units = figure && column >= 0 ? unitsOf(table.rows, column) : {"": 1};
  const size = figure ? units[figure[1]] : 1;
  if (figure && size === undefined) mistakes.push(`'${parts[1]}' has no unit '${figure[1]}'`);
  return cells => {
    if (column < 0) return true;
    const {value, text} = cells[column];
    if (value === null) return false;
    if (typeof value === "number" && figure) {
      const said = figureOf(text);  // what is shown counts: "476.4 ms" is at least 476.4 ms, whatever its fifth digit is
      const own = said && units[said[1]] !== undefined ? said[0] * units[said[1]] : value;
      return kComparisons[parts[2]](compared(own, figure[0] * size));
    }
    return kComparisons[parts[2]](compared(text.toLowerCase(), parts[3]));
  };
}

// A blank before a unit is left out by some: "run<=20 d" is one word.
function words(text) {
  return text.toLowerCase().replace(/([<>=]\s*[-+\d.e]+)\s+(%|[kmgt]?i?(?:b|usd|wh|flop\/s)|d|h|s|ms|us)(?=\s|$)/g, "$1$2")
    .split(/\s+/).filter(word => word);
}

function chosen(table, text) {
  const mistakes = [], conditions = words(text).map(word => condition(word, table, mistakes));
  return {mistakes, visible: table.rows.filter(row => conditions.every(holds => holds(row.cells)))};
}

// ---- a table

function startTable(table, rows) {
  const headings = [...table.tHead.rows[0].cells];
  const rowsOf = {
    rows,
    names: headings.map(heading => (heading.dataset.name || heading.textContent).toLowerCase()),
    headings: headings.map(heading => heading.textContent.toLowerCase())
  };
  const figures = headings.map(heading => heading.classList.contains("figure"));
  const section = table.closest("section");
  const box = section.querySelector("input"), count = section.querySelector(".count");
  const more = section.querySelector(".more");
  const state = {column: -1, falling: false, limit: kShown};

  function draw() {
    let {visible, mistakes} = chosen(rowsOf, box ? box.value : "");
    if (state.column >= 0) {
      const {column, falling} = state;
      visible = [...visible].sort((a, b) => {
        const [x, y] = [a.cells[column].value, b.cells[column].value];
        return x === null || y === null || !falling ? compared(x, y) : compared(y, x);
      });
    }
    table.tBodies[0].replaceChildren(...visible.slice(0, state.limit).map(row => elementOf(row, figures)));
    if (count && mistakes.length) count.textContent = `${mistakes.join(", ")}; columns: ${rowsOf.names.join(", ")}`;
    else if (count) count.textContent = visible.length === rows.length ? `${rows.length} rows` : `${visible.length} of ${rows.length} rows`;
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
  table.addEventListener("print", () => { state.limit = Infinity; draw(); });
  draw();
}

// All tables below an element.
function startTables(root) {
  for (const table of root.querySelectorAll("table")) {
    if (!table.tHead) continue;
    const packed = table.dataset.rows ? JSON.parse(root.querySelector(`#${table.dataset.rows}`).textContent) : null;
    startTable(table, packed ? packedRows(packed) : writtenRows(table));
  }
}

addEventListener("beforeprint", () => {
  for (const table of document.querySelectorAll("table")) table.dispatchEvent(new Event("print"));
});
startTables(document);
