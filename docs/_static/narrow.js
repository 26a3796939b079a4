/* Under 600 px: tables of text become cards, with the heading of each cell before it, and long
   tables and lists are folded, so that a page can be skimmed. */
const fold = (element, title) => {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = title;
  element.replaceWith(details);
  details.append(summary, element);
};

document.addEventListener("DOMContentLoaded", () => {
  if (!window.matchMedia("(max-width: 600px)").matches) return;
  const tables = [...document.querySelectorAll("article table.docutils")];
  for (const [number, table] of tables.entries()) {
    const headings = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent);
    const rows = [...table.querySelectorAll("tbody tr")];
    const isText = !table.querySelector(".text-right");
    if (isText) {
      table.classList.add("cards");
      for (const row of rows) {
        [...row.cells].forEach((cell, i) => {
          const isEmpty = !cell.textContent.trim();
          if (isEmpty) cell.replaceChildren(); // so that the style leaves it out
          cell.dataset.heading = i > 0 && !isEmpty ? headings[i] : "";
        });
      }
    }
    const open = isText && tables.length > 12 ? 0 : 7; // rows that stay open
    if (rows.length > (number > 0 ? open : 20)) {
      const title = `Table (${rows.length} ${rows.length > 1 ? "rows" : "row"})`;
      fold(table.closest(".table-wrapper") || table, title);
    }
  }
  for (const list of document.querySelectorAll("article section > ul")) {
    if (list.children.length > 15) fold(list, `List (${list.children.length} items)`);
  }
});
