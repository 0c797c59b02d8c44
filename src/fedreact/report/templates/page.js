"use strict";
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  root.classList.add("scripted");

  // ---- Light and dark: as the system has it, until the button is used.
  const button = byId("theme");
  const look = (theme) => {
    root.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
  };
  const keep = (value) => {
    try {
      if (value) localStorage.setItem("theme", value);
      return localStorage.getItem("theme");
    } catch {
      return value; // a page opened from a file may not be allowed to keep anything
    }
  };
  look(keep() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  button.addEventListener("click", () => {
    look(root.dataset.theme === "dark" ? "light" : "dark");
    keep(root.dataset.theme);
  });

  // ---- One page at a time: that of what the address names.
  const pages = all(".page");
  const show = () => {
    const id = decodeURIComponent(location.hash.slice(1)) || "overview";
    const target = byId(id);
    const page = target?.closest(".page") || byId("overview");
    for (const one of pages) one.classList.toggle("shown", one === page);
    for (const link of all(".papers a")) {
      if (link.hash === `#${page.id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (!target || target === page) scrollTo(0, 0);
    else if (target.matches("td")) target.scrollIntoView({ block: "center", inline: "center" });
    else target.scrollIntoView();
    const rebuilt = document.querySelector(".home").textContent.startsWith("Papers");
    document.title = `${page.querySelector("h1").textContent} - ${rebuilt ? "rebuilt" : "results"}`;
    byId("found").hidden = true;
    byId("main").hidden = false;
    if (target?.matches(".cells td")) open(target);
  };
  addEventListener("hashchange", show);

  // ---- Where a cell came from.
  let details;
  const read = () => (details ??= JSON.parse(byId("details").textContent));
  const make = (tag, text, ...children) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    element.append(...children);
    return element;
  };
  const dialog = byId("cell");
  const list = (pairs) =>
    make("dl", "", ...pairs.flatMap(([name, text]) => [make("dt", name), make("dd", text)]));

  const upstream = (records, runs) => {
    const found = [];
    const todo = [...runs];
    while (todo.length) {
      const path = todo.shift();
      if (found.includes(path)) continue;
      found.push(path);
      for (const [other] of records[path]?.from ?? []) todo.push(other);
    }
    return found;
  };

  const file = (texts, records, path, method) => {
    const record = records[path];
    const box = make("div", "", make("code", texts[path]));
    box.className = "file";
    if (!record) return box;
    const options = JSON.parse(texts[record.options]);
    if (options.methods && method) options.methods = { [method]: options.methods[method] };
    const told = Object.entries(options).map(
      ([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`,
    );
    const commit = record.commit === undefined ? "" : `, commit ${texts[record.commit]}`;
    box.append(make("p", `sha256 ${record.sha}`));
    box.append(make("p", `made by ${texts[record.by]}, code ${record.code}${commit}, ${texts[record.with]}`));
    if (told.length) box.append(make("p", told.join(", ")));
    const raw = record.from.filter(([other]) => !records[other]);
    for (const [other, sha] of raw) box.append(make("p", `read ${texts[other]}, sha256 ${sha}...`));
    return box;
  };

  const open = (td) => {
    const { texts, records, tables } = read();
    const cut = td.id.lastIndexOf("-");
    const table = tables[td.id.slice(0, cut)];
    const cell = table.cells[td.id.slice(cut + 1)];
    const [row, column] = cell.at.map((i) => texts[i]);
    const title = make("h2", `${row}: ${column}`);
    title.id = "cell-title";
    const content = [title, make("p", td.closest("section").querySelector("h3").textContent)];
    content.push(list(cell.facts.map((pair) => pair.map((i) => texts[i]))));
    const seeds = Object.entries(cell.seeds);
    if (seeds.length) {
      content.push(make("h3", "Seeds"));
      content.push(list(seeds.map(([seed, value]) => [`seed ${seed}`, String(value)])));
    }
    if (cell.command !== undefined) {
      const command = texts[cell.command];
      const copy = make("button", "Copy");
      copy.type = "button";
      copy.className = "copy";
      copy.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(command);
          copy.textContent = "Copied";
        } catch {
          getSelection().selectAllChildren(copy.nextElementSibling ?? copy.parentElement);
        }
      });
      content.push(make("h3", "Made again by"), make("pre", command), copy);
      const words = `"${row.replaceAll('"', '\\"')}" "${column.replaceAll('"', '\\"')}"`;
      content.push(make("h3", "Times, memory and machines"));
      content.push(make("pre", `python scripts/explain_cell.py ${table.csv} ${words}`));
    }
    if (cell.runs.length) {
      const method = cell.method === undefined ? "" : texts[cell.method];
      const files = upstream(records, cell.runs).filter((path) => records[path] || cell.runs.includes(path));
      content.push(make("h3", `Files that it was made from (${files.length})`));
      content.push(...files.map((path) => file(texts, records, path, method)));
    }
    byId("cell-content").replaceChildren(...content);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  };
  dialog.querySelector(".close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    // The address goes back to the table, so that the same cell can be chosen again.
    const td = byId(decodeURIComponent(location.hash.slice(1)));
    if (td?.matches(".cells td")) history.replaceState(null, "", `#${td.closest("section").id}`);
  });

  // ---- Cells by mouse and keyboard: one stop a table, arrows within.
  for (const table of all(".cells")) {
    const first = table.querySelector("button");
    if (first) first.tabIndex = 0;
    table.addEventListener("click", (event) => {
      const td = event.target.closest("td");
      if (td?.id) open(td);
    });
    table.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      const td = event.target.closest("td");
      if (!step || !td) return;
      let [y, x] = [td.parentElement.rowIndex, td.cellIndex];
      let next;
      do {
        [y, x] = [y + step[0], x + step[1]];
        next = table.rows[y]?.cells[x];
      } while (next && !next.querySelector("button"));
      if (!next) return;
      event.preventDefault();
      event.target.closest("button").tabIndex = -1;
      const button = next.querySelector("button");
      button.tabIndex = 0;
      button.focus();
    });
  }
  for (const toggle of all(".gaps")) {
    toggle.addEventListener("click", () => {
      const on = toggle.closest("section").classList.toggle("with-gaps");
      toggle.setAttribute("aria-pressed", String(on));
    });
  }

  // ---- Files to keep: they are in the page.
  for (const link of all("a[download]")) {
    link.addEventListener("click", () => {
      const name = link.pathname.split("/").pop();
      const picture = link.closest("figure")?.querySelector("img");
      if (picture) link.href = picture.src;
      else link.href = URL.createObjectURL(new Blob([read().files[name]], { type: "text/plain" }));
      link.download = name;
      setTimeout(() => link.setAttribute("href", `${picture ? "figures" : "tables"}/${name}`), 1000);
    });
  }

  // ---- Search: all words must be there; titles count before what is below them.
  let index;
  const titled = (element) =>
    element.dataset.title ??
    (element.querySelector("h3, th") ?? element).textContent.replace(/\s+/g, " ").trim();
  const search = (text) => {
    const found = byId("found");
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = !words.length;
    byId("main").hidden = !!words.length;
    if (!words.length) return;
    index ??= all("[data-kind]").map((element) => ({
      element,
      title: titled(element),
      text: element.textContent.toLowerCase(),
      kind: element.dataset.kind,
    }));
    const hits = index.filter((one) => words.every((word) => one.text.includes(word)));
    const score = (one) => words.filter((word) => one.title.toLowerCase().includes(word)).length;
    hits.sort((a, b) => score(b) - score(a));
    const items = hits.slice(0, 60).map((one) => {
      const link = make("a", one.title);
      link.href = `#${one.element.id}`;
      // The same address again changes nothing by itself.
      link.addEventListener("click", () => location.hash === link.hash && show());
      const paper = one.element.closest(".page").dataset.called ?? "Data";
      return make("li", "", link, " ", make("small", `${one.kind}, ${paper}`));
    });
    const told = `${hits.length} found${hits.length > 60 ? ", the first 60" : ""}`;
    found.replaceChildren(make("h2", told), make("ol", "", ...items));
  };
  const input = byId("search");
  input.addEventListener("input", () => search(input.value));
  input.form.addEventListener("submit", (event) => {
    event.preventDefault();
    byId("found").querySelector("a")?.click();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.matches("input") && !dialog.open) {
      event.preventDefault();
      input.focus();
    }
  });
  // ---- Print: with all notes.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all(".notes:not([open])");
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
  });
  if (matchMedia("(max-width: 75rem)").matches) for (const one of all(".contents details")) one.open = false;
  show();
})();
