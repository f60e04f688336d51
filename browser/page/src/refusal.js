import { masker } from "./secrets.js";

/** An expected refusal: what the host reads as `{error: {code, detail}}`. */
export class Refusal extends Error {
  constructor(code, detail = "") {
    super(code);
    this.code = code;
    this.detail = detail;
  }
}

/** Return *detail* as it may leave the page; of a mask that cannot be read there is nothing to mask with. */
function told(code, detail) {
  try {
    return (code === "bad_mask" ? detail : masker()(detail)).slice(0, 500).toWellFormed();
  } catch {
    return "";
  }
}

/** Return *fn* such that it answers a value or `{error}` and never throws. */
export function answering(fn) {
  const refused = (error) =>
    error instanceof Refusal
      ? { error: { code: error.code, detail: told(error.code, String(error.detail)) } }
      : { error: { code: "page_failed", detail: told("page_failed", String(error)) } };
  return (arg) => {
    try {
      const answer = fn(arg ?? {});
      return answer instanceof Promise ? answer.catch(refused) : answer;
    } catch (error) {
      return refused(error);
    }
  };
}
