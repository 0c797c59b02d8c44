// One regime at a time, and filters by row and kind of method. Without scripts, all stands below one another.
document.documentElement.classList.add("scripted");
const sections = [...document.querySelectorAll("section.regime")];
const rows = document.getElementById("rows"), kinds = document.getElementById("kinds");

function show() {
  const name = decodeURIComponent(location.hash.slice(1));
  const target = name && document.getElementById(name);
  const shown = (target && target.closest("section.regime")) || sections[0];
  for (const section of sections) section.classList.toggle("shown", section === shown);
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === "#" + shown.id) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (target && target !== shown) target.scrollIntoView();
}

function filter() {
  for (const article of document.querySelectorAll("article[data-row]"))
    article.hidden = rows.value !== "" && article.dataset.row !== rows.value;
  for (const line of document.querySelectorAll("[data-kind]"))
    line.hidden = kinds.value !== "" && line.dataset.kind !== kinds.value;
}

addEventListener("hashchange", show);
rows.addEventListener("change", filter);
kinds.addEventListener("change", filter);
show();
