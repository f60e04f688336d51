"use strict";

(async () => {
  const overview = await ask("/api/overview");
  const figures = {
    "home-month": overview.month,
    "figure-accounts": overview.accounts,
    "figure-check": overview.to_check,
    "figure-invoices": overview.invoices,
    "figure-exports": overview.exports,
  };
  for (const [id, figure] of Object.entries(figures)) {
    document.getElementById(id).textContent = String(figure);
  }
  document.getElementById("departments").replaceChildren(
    ...overview.departments.map((name) => element("li", name)),
  );
})();
