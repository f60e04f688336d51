/** Waiting: the next frame, and a page that has come to rest. */

// Headless and hidden pages may hold animation frames back; a wait must end all the same.
const FRAME_MS_MAX = 50;
const QUIET_MS = 50;

/** Wait *ms* milliseconds. */
export function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

/** Wait for the next animation frame, or a moment when none comes. */
export function nextFrame() {
  return new Promise((done) => {
    const timer = setTimeout(done, FRAME_MS_MAX);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      done();
    });
  });
}

/**
 * Wait until the document had no mutation for a moment; answer whether it came to rest in time.
 *
 * With *brief* a document in which nothing moves for two frames is at rest: what is typed opens nothing by itself.
 */
export async function settled({ ms_max: max = 1000, brief = false }) {
  const started = performance.now();
  let changed = started;
  const observer = new MutationObserver(() => (changed = performance.now()));
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  try {
    for (;;) {
      await nextFrame();
      if (brief && changed === started) {
        await nextFrame();
        if (changed === started) return { settled: true, ms: Math.round(performance.now() - started) };
      }
      const now = performance.now();
      if (now - changed >= QUIET_MS) return { settled: true, ms: Math.round(now - started) };
      if (now - started >= max) return { settled: false, ms: Math.round(now - started) };
      await pause(Math.min(QUIET_MS / 2, Math.max(max - (now - started), 0)));
    }
  } finally {
    observer.disconnect();
  }
}
