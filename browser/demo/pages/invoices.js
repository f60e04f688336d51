// The invoice list. Voiding asks nothing itself: who drives the page must ask the person.
"use strict";

(() => {
  const table = document.querySelector(".invoice-table");
  const error = document.querySelector(".invoice-error");

  async function change(path, invoice) {
    say(error, "");
    try {
      await ask(path, { number: invoice.number });
      await load();
    } catch (refusal) {
      say(error, refusal.message);
    }
  }

  function button(id, text, invoice, pressed) {
    const made = element("button", text, { id: `${id}-${invoice.number}`, type: "button" });
    made.setAttribute("aria-label", `${text} ${invoice.number}`);
    made.addEventListener("click", pressed);
    return made;
  }

  function rowOf(invoice) {
    const line = element("tr", undefined, { id: `row-${invoice.number}` });
    const state = element("td");
    const look = invoice.void ? "tag tag-off" : "tag tag-good";
    state.append(element("span", invoice.state, { className: look }));
    const voiding = button("void", "作废", invoice, () => change("/api/void", invoice));
    voiding.disabled = invoice.void;
    const deleting = button("delete", "删除", invoice, () => {
      if (window.confirm(`确定删除发票 ${invoice.number} 吗？删除后不可恢复。`)) {
        change("/api/delete", invoice);
      }
    });
    deleting.className = "danger";
    const actions = element("td", undefined, { className: "row-actions" });
    actions.append(voiding, deleting);
    line.append(
      element("td", invoice.number),
      element("td", invoice.customer),
      element("td", invoice.issued_on),
      element("td", amount(invoice.amount), { className: "amount" }),
      state,
      actions,
    );
    return line;
  }

  async function load() {
    const list = await ask("/api/invoices");
    table.tBodies[0].replaceChildren(...list.invoices.map(rowOf));
    table.dataset.state = "ready";
  }

  load().catch((refusal) => say(error, refusal.message));
})();
