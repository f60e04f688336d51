// Shared by the demo company's pages: one way to ask the server, one way to build an element.
"use strict";

/** Ask the server for JSON; a refusal rejects with the server's own sentence. */
async function ask(path, change) {
  const options = change === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(change),
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("网络异常，请稍后重试。");
  }
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Error("服务器返回的内容无法识别，请稍后重试。");
  }
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** Build an element with text; text is never read as HTML. */
function element(tag, text, properties = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, properties);
}

/** Write an amount of yuan with thousands separators. */
function amount(text) {
  return text.replace(/\B(?=(\d{3})+\.)/g, ",");
}

/** Show a message in an element, or hide the element when there is none. */
function say(target, text) {
  target.textContent = text;
  target.hidden = text === "";
}
