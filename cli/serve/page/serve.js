// The page of `trainplan serve`. A change of a slider or a field becomes a `--set`; the server runs the command, and the
// page shows what --format html prints.
"use strict";

// ---- what is asked

// Paths of fields and the texts that this page sets them to. They are also behind the '#' of the address, so that a
// reload keeps them.
const changes = new Map(new URLSearchParams(location.hash.slice(1)));
let values = {};   // of the scenario: text by path
let current = {};  // with the changes

async function ask(path, body) {
  const response = await fetch(path, body ? {method: "POST", body: JSON.stringify(body)} : {});
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

function question() {
  return {set: Object.fromEntries(changes), on: document.querySelector(".on").value.replace(/[\s,]+/g, ",")};
}

// {"cluster": {"network": [{"size": 8}]}} as {"cluster.network[0].size": "8"}.
function flat(value, path, into) {
  if (Array.isArray(value) && value.some(item => item !== null && typeof item === "object"))
    value.forEach((item, i) => flat(item, `${path}[${i}]`, into));
  else if (Array.isArray(value)) into[path] = `[${value.join(", ")}]`;
  else if (value !== null && typeof value === "object")
    for (const [key, below] of Object.entries(value)) flat(below, path ? `${path}.${key}` : key, into);
  else if (value !== null) into[path] = String(value);
  return into;
}

// What a scenario says of itself, with the entries of the catalogue that it uses.
function valuesOf(plan) {
  const of = flat(JSON.parse(plan.out).scenario, "", {});
  return {"model.use": of["model.name"], "cluster.use": of["cluster.name"], ...of};
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

// ---- sliders

const kWhole = {least: -5, most: 5, step: 1, whole: true}, kFine = {least: -3, most: 3, step: 0.05};
const kSliders = [
  {label: "GPUs", path: () => "cluster.gpus", ...kWhole},
  {label: "global batch", path: () => "job.global_batch", ...kWhole},
  {label: "sequence", path: () => "job.sequence", ...kWhole},
  {label: "price", path: () => "cluster.price", ...kFine},
  {label: "bandwidth of the outer network", path: outerNetwork, ...kFine}
];

function outerNetwork() {
  let path = "";
  for (let i = 0; `cluster.network[${i}].bandwidth` in values; ++i) path = `cluster.network[${i}].bandwidth`;
  return path;
}

// "2.10 USD/h" as [2.1, " USD/h"].
function numberOf(text) {
  const parts = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)(.*)$/.exec(text || "");
  return parts ? [Number(parts[1]), parts[2]] : null;
}

// What a slider sets at `power`: the scenario's value times two to it; null: no whole number.
function sliderText(slider, start, power) {
  const [number, unit] = start, value = number * 2 ** power;
  if (!slider.whole) return Number(value.toPrecision(3)) + unit;
  return value >= 1 && Number.isInteger(value) ? value + unit : null;
}

function makeSlider(slider) {
  const path = slider.path(), start = numberOf(values[path]);
  if (!start || !(start[0] > 0)) return null;
  const row = element("label", "slider", slider.label), output = element("output", "", ""), range = element("input", "", "");
  row.dataset.path = path;
  Object.assign(range, {type: "range", min: slider.least, max: slider.most, step: slider.step, value: 0, ariaLabel: slider.label});
  row.append(output, range);
  range.addEventListener("input", () => {
    const text = sliderText(slider, start, Number(range.value));
    if (text !== null) change(path, Number(range.value) === 0 ? null : text);
  });
  row.addEventListener("moved", () => {
    const text = changes.get(path) ?? current[path] ?? values[path], now = numberOf(text);
    output.textContent = text;
    if (now && now[0] > 0 && document.activeElement !== range) range.value = Math.log2(now[0] / start[0]);
  });
  return row;
}

// ---- the form

const fieldRows = new Map();  // by path
const kEntries = ["model", "cluster"].map(kind => ({path: `${kind}.use`, type: "name", summary: `a ${kind} of the catalogue, or a file`}));

function control(field, text) {
  const words = field.type === "boolean" ? ["true", "false"] : field.type === "word" ? field.values.split(" ") : null;
  const input = document.createElement(words ? "select" : "input");
  for (const word of words || []) input.add(new Option(word, word, false, word === text));
  if (!words) input.value = text;
  const entry = /^(model|cluster)\.use$/.exec(field.path);
  if (entry) input.setAttribute("list", `names-${entry[1]}`);
  return input;
}

function makeField(path, field) {
  const row = element("div", "field", ""), label = element("label", "", path.slice(path.indexOf(".") + 1));
  const wrong = element("small", "wrong", ""), input = control(field, values[path]);
  row.dataset.path = path;
  row.title = [field.summary, field.values, field.default && `default: ${field.default}`].filter(Boolean).join("\n");
  input.id = label.htmlFor = path;
  input.addEventListener("change", () => change(path, input.value === "" || input.value === values[path] ? null : input.value));
  row.append(label, input, wrong);
  row.addEventListener("moved", () => {
    row.classList.toggle("changed", changes.has(path));
    const text = changes.get(path) ?? current[path] ?? "";
    if (document.activeElement !== input && input.value !== text) input.value = text;
  });
  fieldRows.set(path, row);
  return row;
}

function makeForm(fields) {
  const byPath = new Map([...kEntries, ...fields].map(field => [field.path, field])), groups = new Map();
  for (const path of Object.keys(values)) {
    const field = byPath.get(path.replace(/\[\d+\]/g, "[]"));
    if (!field) continue;
    const name = path.split(".")[0];
    if (!groups.has(name)) {
      const group = element("details", "", "");
      group.append(element("summary", "", name));
      group.open = ["job", "parallelism"].includes(name);
      groups.set(name, group);
    }
    groups.get(name).append(makeField(path, field));
  }
  document.querySelector(".fields").replaceChildren(...groups.values());
  document.querySelector(".sliders").replaceChildren(...kSliders.map(makeSlider).filter(Boolean));
}

function change(path, text) {
  if (text === null) changes.delete(path);
  else changes.set(path, text);
  history.replaceState(null, "", `#${new URLSearchParams([...changes])}`);
  redraw();
}

function showChanges() {
  for (const row of document.querySelectorAll(".field, .slider")) row.dispatchEvent(new Event("moved"));
  document.querySelector(".set code").textContent = [...changes].map(([path, text]) => `--set ${path}='${text}'`).join(" ");
  document.querySelector(".reset").hidden = changes.size === 0;
}

// ---- mistakes

// A mistake in "job.global_batch=-1" of --set is at that field; every other one is above the plan.
function showMistakes(diagnostics, text) {
  for (const row of fieldRows.values()) row.querySelector(".wrong").textContent = "";
  const rest = [];
  for (const {file, text: line, message, hint} of diagnostics) {
    const row = file === "--set" ? fieldRows.get(line.split("=")[0]) : undefined;
    const said = hint ? `${message}\n${hint}` : message;
    if (row) row.querySelector(".wrong").textContent = said;
    else rest.push(said);
    if (row) row.closest("details").open = true;
  }
  showTrouble(rest.length || diagnostics.length ? rest.join("\n") : text);
}

function showTrouble(text) {
  const box = document.querySelector(".trouble");
  box.textContent = text;
  box.hidden = text === "";
}

// ---- what is shown

// Statuses of commands with a page: done, and not feasible.
const hasPage = status => status === 0 || status === 3;

function showPage(result, reply) {
  const page = new DOMParser().parseFromString(reply.out, "text/html");
  for (const script of page.querySelectorAll("script:not([type])")) script.remove();
  const opened = [...result.querySelectorAll("details[open] > summary")].map(summary => summary.textContent);
  result.replaceChildren(...page.body.childNodes, element("p", "warnings", reply.err.trim()));
  for (const details of result.querySelectorAll("details"))
    if (opened.includes(details.querySelector("summary").textContent)) details.open = true;
  startTables(result);
  result.classList.remove("old");
}

// The plan stays, faded, while a field is wrong: what is wrong is said at the field. Another view says it itself.
function show(view, reply) {
  const result = view.querySelector(".result"), isPlan = view.dataset.path === "plan";
  if (hasPage(reply.status)) showPage(result, reply);
  else if (isPlan) result.classList.add("old");
  else result.replaceChildren(element("p", "wrong", reply.err.trim()));
  if (!isPlan) return;
  const mistakes = reply.diagnostics ? JSON.parse(reply.diagnostics).diagnostics : [];
  showMistakes(mistakes, hasPage(reply.status) ? "" : reply.err.trim());
}

// Fields that follow others, such as dp.
async function refreshForm() {
  const drawn = asked, reply = await ask("values", question());
  if (drawn !== asked || !hasPage(reply.status)) return;
  current = valuesOf(reply);
  showChanges();
}

const isOpen = view => view.open !== false;
const drawing = new Set();
let asked = 0;

function redraw() {
  ++asked;
  showChanges();
  for (const view of document.querySelectorAll(".view")) if (isOpen(view)) draw(view);
}

// Draws until nothing was changed meanwhile: while a slider moves, the newest question is asked, and none is queued. No
// view waits for another.
async function draw(view) {
  if (drawing.has(view)) return;
  drawing.add(view);
  try {
    for (let drawn = 0; drawn !== asked;) {
      drawn = asked;
      show(view, await ask(view.dataset.path, question()));
    }
    if (view.dataset.path === "plan") refreshForm();
  } catch (error) {
    showTrouble(error instanceof TypeError ? "the server has ended: run `trainplan serve` again" : error.message);
  }
  drawing.delete(view);
  document.dispatchEvent(new CustomEvent("drawn", {detail: view.dataset.path}));
}

// ---- start

function addNames(kind, listing) {
  document.getElementById(`names-${kind}`).replaceChildren(...listing.entries.map(row => new Option(row.name, row.name)));
}

// The scenario's own machine, and two that most people know.
function usualMachines() {
  return [...new Set([values["cluster.name"], "dgx-h100", "dgx-b200"])].join(", ");
}

async function start() {
  const [plan, fields, models, clusters] =
      await Promise.all(["values", "fields", "names/model", "names/cluster"].map(path => ask(path)));
  values = current = valuesOf(plan);
  makeForm(JSON.parse(fields.out).entries);
  document.querySelector(".on").value = usualMachines();
  addNames("model", JSON.parse(models.out));
  addNames("cluster", JSON.parse(clusters.out));
  for (const view of document.querySelectorAll("details.view")) view.addEventListener("toggle", () => view.open && draw(view));
  document.querySelector(".on").addEventListener("change", redraw);
  document.querySelector(".form").addEventListener("submit", event => event.preventDefault());
  document.querySelector(".reset").addEventListener("click", () => {
    changes.clear();
    history.replaceState(null, "", "#");
    redraw();
  });
  document.querySelector(".find").addEventListener("input", event => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [path, row] of fieldRows) {
      row.hidden = !words.every(word => `${path} ${row.title}`.toLowerCase().includes(word));
      if (words.length && !row.hidden) row.closest("details").open = true;
    }
  });
  redraw();
}

start().catch(error => showTrouble(error.message));
