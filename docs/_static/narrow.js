/* Under 600 px: tables of text become cards, with the heading of each cell before it, and long
   tables are folded, so that a page can be skimmed. */
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
          cell.dataset.heading = i > 0 && cell.textContent.trim() ? headings[i] : "";
        });
      }
    }
    const open = isText && tables.length > 12 ? 0 : 7; // rows that stay open
    if (number > 0 && rows.length > open) {
      const fold = document.createElement("details");
      const summary = document.createElement("summary");
      summary.textContent = `Table (${rows.length} ${rows.length > 1 ? "rows" : "row"})`;
      const wrapper = table.closest(".table-wrapper") || table;
      wrapper.replaceWith(fold);
      fold.append(summary, wrapper);
    }
  }
});
