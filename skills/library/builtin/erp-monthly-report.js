/**
 * @skill erp-monthly-report
 * @version 1.0.0
 * @description 从ERP系统查询并导出月度财务合规报表（财务月报），可按部门筛选，
 * 自动翻页核对，生成、保存或下载 Excel（xlsx）、CSV 或 PDF 文件。
 * Export, download or generate the monthly finance compliance report (statement) of the ERP,
 * for one month and department, as an Excel, CSV or PDF file.
 * @domains erp.example.com
 * @author sgClaw Team
 * @params {
 *   "type": "object",
 *   "required": ["month"],
 *   "additionalProperties": false,
 *   "properties": {
 *     "month": {
 *       "type": "string",
 *       "pattern": "^\\d{4}-(0[1-9]|1[0-2])$",
 *       "description": "报表月份 month, 2026-03"
 *     },
 *     "department": {
 *       "type": "string",
 *       "minLength": 1,
 *       "maxLength": 40,
 *       "description": "部门名称 department; 不填则导出全部"
 *     },
 *     "format": {
 *       "type": "string",
 *       "enum": ["xlsx", "csv", "pdf"],
 *       "default": "xlsx",
 *       "description": "导出格式 format"
 *     },
 *     "report": {
 *       "type": "string",
 *       "minLength": 1,
 *       "maxLength": 40,
 *       "description": "报表名称 report; 填写后必须出现在导出结果中"
 *     }
 *   }
 * }
 */

const REPORT_PAGE = 'https://erp.example.com/report/finance';
const READY_TABLE = '.report-table[data-state="ready"]';
const PAGES_MAX = 30;
const TURN_TRIES_MAX = 20;
const TURN_WAIT_MS = 250;

/**
 * Export the report of one month and say what was exported.
 * @param {object} params - as @params above describes
 * @param {function} browserAction - the only way to the page
 * @returns {object} { success, data?, error? }
 */
async function execute(params, browserAction) {
  const { month, department, format = 'xlsx', report } = params;
  try {
    await browserAction('navigate', REPORT_PAGE);
    await browserAction('waitForSelector', '.report-filter', 10000);
    await browserAction('type', '#month-picker', month);
    // By its visible label: a name never becomes part of a selector.
    if (department) await browserAction('select', '#dept-selector', department);
    await browserAction('select', '#export-format', format);
    await browserAction('click', '#query-btn');
    await waitForTable(browserAction);

    const { pages, rows } = await readAllPages(browserAction);

    await browserAction('click', '#export-btn');
    await waitOrExplain(browserAction, '.export-success', 30000);
    const message = (await browserAction('getText', '.export-result')).trim();
    if (report && !message.includes(report)) {
      return { success: false, error: `导出结果中没有报表“${report}”：${message}` };
    }
    return {
      success: true,
      data: { message, month, department: department || '全部', format, pages, rows },
    };
  } catch (error) {
    return { success: false, error: `导出报表失败: ${error.message}` };
  }
}

/** Go through all pages of the table; return how many pages and rows there are. */
async function readAllPages(browserAction) {
  let { page, pages } = await pageNumber(browserAction);
  if (pages > PAGES_MAX) throw new Error(`报表有 ${pages} 页，超过 ${PAGES_MAX} 页`);
  let rows = await countRows(browserAction);
  while (page < pages) {
    await browserAction('click', '#next-page');
    await waitForTable(browserAction);
    const turned = await turnedTo(browserAction, page + 1);
    if (turned.pages !== pages) throw new Error('翻页时报表页数发生变化，请重新导出');
    page = turned.page;
    rows += await countRows(browserAction);
  }
  return { pages, rows };
}

/** Wait until the page number reads `wanted`; a slow page may still show the last one. */
async function turnedTo(browserAction, wanted) {
  for (let tries = 0; tries < TURN_TRIES_MAX; tries += 1) {
    const shown = await pageNumber(browserAction);
    if (shown.page === wanted) return shown;
    await new Promise((resolve) => setTimeout(resolve, TURN_WAIT_MS));
  }
  throw new Error(`翻到第 ${wanted} 页时没有响应`);
}

/** Read "第 1 / 3 页". */
async function pageNumber(browserAction) {
  const text = await browserAction('getText', '#page-info');
  const found = /(\d+)\s*\/\s*(\d+)/.exec(text);
  if (!found) throw new Error(`无法识别页码“${text.slice(0, 40)}”`);
  return { page: Number(found[1]), pages: Number(found[2]) };
}

/** Count the rows of the page that is shown: one line of text each. */
async function countRows(browserAction) {
  const text = await browserAction('getText', '.report-table tbody');
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

async function waitForTable(browserAction) {
  await waitOrExplain(browserAction, READY_TABLE, 15000);
}

/** Wait for `selector`; when it does not come, prefer the page's own words for why. */
async function waitOrExplain(browserAction, selector, timeoutMs) {
  try {
    await browserAction('waitForSelector', selector, timeoutMs);
  } catch (error) {
    let said = '';
    try {
      said = (await browserAction('getText', '.report-error')).trim();
    } catch {
      // The page says nothing; the wait's own error has to do.
    }
    throw said ? new Error(said) : error;
  }
}
