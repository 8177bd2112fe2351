"use strict";
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const make = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

// Charts: those in sight at once, the others when nothing else is to be done, all before printing.
const themes = read("themes");
const dark = matchMedia("(prefers-color-scheme: dark)");
const charts = [...document.querySelectorAll(".chart")];
const drawn = new Map();

async function draw(chart, theme = dark.matches ? "dark" : "light") {
  if (drawn.get(chart) === theme || !chart.clientWidth) return;
  drawn.set(chart, theme);
  const actions = {export: true, source: false, compiled: false, editor: false};
  const [title, caption] = ["bdi", "figcaption"].map((part) => chart.parentElement.querySelector(part).textContent);
  const specification = {...read(`figure-${chart.dataset.figure}`), description: `${title}. ${caption}`};
  await vegaEmbed(chart, specification, {renderer: "svg", actions, config: themes[theme]});
  chart.querySelector("summary").ariaLabel = `Save the chart: ${title}`;
}

const sight = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
}, {rootMargin: "400px"});
for (const chart of charts) sight.observe(chart);
const waiting = [...charts];
const whenIdle = window.requestIdleCallback || ((work) => setTimeout(work, 50));
whenIdle(async function next() {
  const chart = waiting.shift();
  if (chart) await draw(chart);
  if (waiting.length) whenIdle(next);
});
dark.addEventListener("change", () => { for (const chart of drawn.keys()) draw(chart); });
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open], .explorer, .vega-embed *)")];
  for (const box of opened) box.open = true;
  for (const chart of charts) draw(chart, "light");
});
addEventListener("afterprint", () => {
  for (const box of opened) box.open = false;
  for (const chart of drawn.keys()) draw(chart);
});

// The explorer: a table that can be searched, filtered and sorted.
const PAGE = 25;

async function unpacked(script) {
  const bytes = Uint8Array.from(atob(script.textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function explore(box) {
  const sources = [...box.querySelectorAll("script")];
  const choice = make("select", {ariaLabel: "Table"}, ...sources.map((source, place) => make("option", {value: place}, source.dataset.label)));
  const search = make("input", {type: "search", placeholder: "search all columns", ariaLabel: "Search all columns"});
  const count = make("span", {role: "status", className: "soft"});
  const back = make("button", {type: "button"}, "‹ previous");
  const on = make("button", {type: "button"}, "next ›");
  const save = make("button", {type: "button"}, "save these rows as CSV");
  const table = make("table");
  const scroll = make("div", {className: "scroll", tabIndex: 0, role: "group", ariaLabel: "Items"}, table);
  const hint = make("p", {className: "soft"}, "Numbers are filtered by > 0.5, < -1 or 0..1; click a name to sort.");
  box.append(make("div", {className: "tools"}, choice, search, back, on, save, count), scroll, hint);
  let columns = [], filters = [], order = [], sorted = {column: -1, down: false}, from = 0;

  async function open() {
    columns = await unpacked(sources[choice.value]);
    sorted = {column: -1, down: false};
    for (const column of columns) column.numeric = column.values.every((value) => value === null || typeof value === "number") && column.values.some((value) => value !== null);
    filters = columns.map(filter);
    const names = columns.map((column, place) => {
      const button = make("button", {type: "button", onclick: () => sort(place)}, column.name.replaceAll("_", " "));
      return make("th", {scope: "col", className: column.numeric ? "" : "text"}, button);
    });
    const head = make("thead", {}, make("tr", {}, ...names), make("tr", {}, ...filters.map((control) => make("td", {}, control))));
    table.replaceChildren(head, make("tbody"));
    show();
  }

  function filter(column) {
    const ariaLabel = `Filter ${column.name}`;
    const distinct = column.numeric ? [] : [...new Set(column.values)];
    if (!column.numeric && distinct.length <= 20) {
      const options = distinct.map((value) => make("option", {value: JSON.stringify(value)}, value === null ? "–" : String(value)));
      return make("select", {ariaLabel, onchange: show}, make("option", {value: ""}, "all"), ...options);
    }
    return make("input", {ariaLabel, oninput: show, placeholder: column.numeric ? "> 0" : "contains"});
  }

  function passes(column, control) {
    const wanted = control.value.trim();
    control.ariaInvalid = null;
    if (!wanted) return null;
    if (control.tagName === "SELECT") return (value) => JSON.stringify(value) === wanted;
    if (!column.numeric) return (value) => String(value ?? "").toLowerCase().includes(wanted.toLowerCase());
    const range = wanted.match(/^(-?[\d.e+-]+)\s*\.\.\s*(-?[\d.e+-]+)$/i);
    const bound = wanted.match(/^(<=|>=|<|>|=)?\s*(-?[\d.e+-]+)$/i);
    if (range) return (value) => value !== null && value >= Number(range[1]) && value <= Number(range[2]);
    if (!bound || Number.isNaN(Number(bound[2]))) {
      control.ariaInvalid = "true";
      return null;
    }
    const limit = Number(bound[2]);
    const tests = {"<": (v) => v < limit, ">": (v) => v > limit, "<=": (v) => v <= limit, ">=": (v) => v >= limit};
    const test = tests[bound[1]] || ((v) => v === limit);
    return (value) => value !== null && test(value);
  }

  function sort(column) {
    sorted = {column, down: sorted.column === column && !sorted.down};
    show();
  }

  function show() {
    const tests = columns.map((column, place) => [column, passes(column, filters[place])]).filter(([, test]) => test);
    const words = search.value.toLowerCase().trim();
    order = [];
    for (let row = 0; row < (columns[0]?.values.length ?? 0); row++) {
      if (!tests.every(([column, test]) => test(column.values[row]))) continue;
      if (words && !columns.some((column) => String(column.values[row] ?? "").toLowerCase().includes(words))) continue;
      order.push(row);
    }
    if (sorted.column >= 0) {
      const {values, numeric} = columns[sorted.column];
      const compare = numeric ? (a, b) => a - b : new Intl.Collator(undefined, {numeric: true}).compare;
      order.sort((a, b) => {
        if (values[a] === null || values[b] === null) return (values[a] === null) - (values[b] === null);
        return (sorted.down ? -1 : 1) * compare(values[a], values[b]);
      });
    }
    [...table.tHead.rows[0].cells].forEach((cell, place) => {
      cell.ariaSort = place !== sorted.column ? null : sorted.down ? "descending" : "ascending";
    });
    from = 0;
    turn();
  }

  function turn() {
    const rows = order.slice(from, from + PAGE).map((row) => make("tr", {}, ...columns.map((column) => {
      const value = column.values[row];
      const text = value === null ? "–" : column.numeric && !Number.isInteger(value) ? String(Number(value.toPrecision(5))) : String(value);
      const width = column.numeric || text.length < 25 ? "" : "text";
      return make("td", {className: column.numeric ? "" : `left ${width}`}, make("bdi", {}, text));
    })));
    table.tBodies[0].replaceChildren(...rows);
    const {rows: all, beside} = sources[choice.value].dataset;
    const held = columns[0]?.values.length ?? 0;
    const rest = beside ? `; this page holds ${held} of ${all}, the lowest and the highest; all are in ${beside}` : "";
    count.textContent = `${order.length ? from + 1 : 0} to ${Math.min(from + PAGE, order.length)} of ${order.length}${rest}`;
    back.disabled = from === 0;
    on.disabled = from + PAGE >= order.length;
  }

  function csv() {
    const quoted = (value) => {
      if (value === null) return "";
      const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [columns.map((column) => quoted(column.name)), ...order.map((row) => columns.map((column) => quoted(column.values[row])))];
    return lines.map((line) => line.join(",")).join("\n");
  }

  choice.onchange = () => { search.value = ""; open(); };
  search.oninput = show;
  back.onclick = () => { from -= PAGE; turn(); };
  on.onclick = () => { from += PAGE; turn(); };
  save.onclick = () => make("a", {href: URL.createObjectURL(new Blob([csv()], {type: "text/csv"})), download: `${sources[choice.value].dataset.label.replace(/[^\p{L}\p{N}.-]+/gu, "-")}.csv`}).click();
  open();
}

for (const box of document.querySelectorAll(".explorer")) box.addEventListener("toggle", () => explore(box), {once: true});
