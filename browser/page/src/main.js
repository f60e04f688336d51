/**
 * `__sg`: what the host may ask of a document. It lives in an isolated world, so the page's scripts
 * can neither see nor change it. Every function takes one JSON argument and answers JSON.
 */
import { html, scroll, text } from "./content.js";
import { cover, uncover } from "./cover.js";
import { focus, selectOption, setValue, valueAfter } from "./edit.js";
import { aim, arm, release } from "./guard.js";
import { freshStyles } from "./names.js";
import { ready } from "./ready.js";
import { answering } from "./refusal.js";
import { identity, resolve } from "./resolve.js";
import { freshPlaces } from "./selectors.js";
import { snapshot } from "./snapshot.js";
import { settled } from "./wait.js";

const asked = (fn) =>
  answering((arg) => {
    freshStyles();
    freshPlaces();
    return fn(arg);
  });

// The bundle may be evaluated twice in one world; the first one keeps refs and the document's id.
globalThis.__sg ??= Object.freeze({
  identity: asked(identity),
  resolve: asked(resolve),
  ready: asked(ready),
  arm: asked(arm),
  aim: asked(aim),
  release: asked(release),
  focus: asked(focus),
  value_after: asked(valueAfter),
  set_value: asked(setValue),
  select_option: asked(selectOption),
  text: asked(text),
  html: asked(html),
  scroll: asked(scroll),
  snapshot: asked(snapshot),
  settled: asked(settled),
  cover: asked(cover),
  uncover: asked(uncover),
});
