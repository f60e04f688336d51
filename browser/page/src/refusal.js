/** An expected refusal: what the host reads as `{error: {code, detail}}`. */
export class Refusal extends Error {
  constructor(code, detail = "") {
    super(code);
    this.code = code;
    this.detail = detail;
  }
}

/** Return *fn* such that it answers a value or `{error}` and never throws. */
export function answering(fn) {
  const refused = (error) =>
    error instanceof Refusal
      ? { error: { code: error.code, detail: String(error.detail).slice(0, 500).toWellFormed() } }
      : { error: { code: "page_failed", detail: String(error).slice(0, 500).toWellFormed() } };
  return (arg) => {
    try {
      const answer = fn(arg ?? {});
      return answer instanceof Promise ? answer.catch(refused) : answer;
    } catch (error) {
      return refused(error);
    }
  };
}
