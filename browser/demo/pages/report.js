// The monthly report: query, paging, export. An export is of the report on the screen, not of
// what the filter says after the query.
"use strict";

(() => {
  const one = (selector) => document.querySelector(selector);
  const month = one("#month-picker");
  const department = one("#dept-selector");
  const format = one("#export-format");
  const queryButton = one("#query-btn");
  const exportButton = one("#export-btn");
  const previous = one("#prev-page");
  const next = one("#next-page");
  const table = one(".report-table");
  const error = one(".report-error");
  const progress = one(".export-progress");
  const success = one(".export-success");
  const STATUS_CLASS = { 合规: "tag-good", 待复核: "tag-warn", 不合规: "tag-bad" };

  let shown = null; // the page of the report on the screen, as the server sent it

  function enter(state) {
    table.dataset.state = state;
    one(".report-empty").hidden = state !== "empty";
    one(".report-loading").hidden = state !== "loading";
    const ready = state === "ready";
    queryButton.disabled = state === "loading";
    exportButton.disabled = !ready;
    previous.disabled = !ready || shown.page <= 1;
    next.disabled = !ready || shown.page >= shown.pages;
  }

  function rowOf(row) {
    const line = element("tr");
    const status = element("td");
    status.append(element("span", row.status, { className: `tag ${STATUS_CLASS[row.status]}` }));
    line.append(
      element("td", row.code),
      element("td", row.name),
      element("td", row.department),
      element("td", amount(row.debit), { className: "amount" }),
      element("td", amount(row.credit), { className: "amount" }),
      status,
    );
    return line;
  }

  function show(report) {
    shown = report;
    table.tBodies[0].replaceChildren(...report.rows.map(rowOf));
    one(".report-caption").textContent =
      `科目明细：${report.month}，${report.department}，共 ${report.total} 行`;
    one(".report-totals").textContent =
      `借方合计 ${amount(report.debit_total)}　贷方合计 ${amount(report.credit_total)}　待处理 ${report.to_check} 项`;
    one("#page-info").textContent = `第 ${report.page} / ${report.pages} 页`;
    enter("ready");
  }

  async function load(asked) {
    say(error, "");
    success.hidden = true;
    enter("loading");
    try {
      show(await ask(`/api/report?${new URLSearchParams(asked)}`));
    } catch (refusal) {
      shown = null;
      table.tBodies[0].replaceChildren();
      one(".report-caption").textContent = "科目明细";
      one(".report-totals").textContent = "";
      one("#page-info").textContent = "第 0 / 0 页";
      enter("error");
      say(error, refusal.message);
    }
  }

  const query = () => load({ month: month.value.trim(), department: department.value, page: "1" });
  const turn = (pages) => load({
    month: shown.month,
    department: shown.department,
    page: String(shown.page + pages),
  });

  async function exportReport() {
    const asked = { month: shown.month, department: shown.department, format: format.value };
    say(error, "");
    success.hidden = true;
    progress.hidden = false;
    exportButton.disabled = true;
    try {
      const made = await ask("/api/export", asked);
      const link = one(".export-link");
      link.href = `/export/${encodeURIComponent(made.file_name)}`;
      link.download = made.file_name;
      one(".export-result").textContent =
        `已导出 ${made.reports.length} 份报表：${made.reports.join("、")}` +
        `（${made.month}，${made.department}，${made.format}，${made.rows} 行）`;
      success.hidden = false;
      link.click();
    } catch (refusal) {
      say(error, refusal.message);
    } finally {
      progress.hidden = true;
      exportButton.disabled = table.dataset.state !== "ready";
    }
  }

  queryButton.addEventListener("click", query);
  month.addEventListener("keydown", (pressed) => {
    if (pressed.key === "Enter" && !queryButton.disabled) query();
  });
  previous.addEventListener("click", () => turn(-1));
  next.addEventListener("click", () => turn(1));
  exportButton.addEventListener("click", exportReport);
})();
