/**
 * `__sg`: what the host may ask of a document. It lives in an isolated world, so the page's scripts
 * can neither see nor change it. Every function takes one JSON argument and answers JSON.
 */
import { adopt, forget, unseen } from "./assist.js";
import { html, scroll, text } from "./content.js";
import { cover, uncover } from "./cover.js";
import {
  fileFieldReady,
  fileFields,
  fileNode,
  filesHeld,
  focus,
  focusPage,
  held,
  holdFocus,
  selectOption,
  setValue,
  valueAfter,
} from "./edit.js";
import { frameBox, frameElement, frameOwners } from "./frames.js";
import { aim, aimKey, arm, release } from "./guard.js";
import { elementBox, marked, marking, overFrame, viewport } from "./marking.js";
import { hoverPlaces } from "./hover.js";
import { checkMasks, configure } from "./masks.js";
import { freshStyles } from "./names.js";
import { ready } from "./ready.js";
import { answering } from "./refusal.js";
import { startAfter } from "./refs.js";
import { count, identity, resolve } from "./resolve.js";
import { freshPlaces } from "./selectors.js";
import { snapshot } from "./snapshot.js";
import { storageGet, storageSet } from "./storage.js";
import { setPart } from "./visible.js";
import { settled } from "./wait.js";
import { callWitness } from "./witness.js";
import { listOpen, listOption, listSays, ownList } from "./widgets.js";

const asked = (fn) =>
  answering((arg) => {
    freshStyles();
    freshPlaces();
    setPart(arg?.part);
    startAfter(arg?.base);
    checkMasks();
    return fn(arg);
  });

// The bundle may be evaluated twice in one world; the first one keeps refs and the document's id.
globalThis.__sg ??= Object.freeze({
  configure: answering((arg) => {
    callWitness(arg);
    return configure(arg);
  }),
  identity: asked(identity),
  resolve: asked(resolve),
  count: asked(count),
  frame_box: asked(frameBox),
  frame_owners: asked(frameOwners),
  // Answers an element, not JSON: the browser tells the host which frame it holds.
  frame_element: frameElement,
  // These take or answer nodes: the host speaks of them by the browser's own numbers.
  adopt: answering(adopt),
  forget: answering(forget),
  unseen,
  ready: asked(ready),
  hover_places: asked(hoverPlaces),
  arm: asked(arm),
  aim: asked(aim),
  aim_key: asked(aimKey),
  release: asked(release),
  focus: asked(focus),
  focus_page: asked(focusPage),
  held: asked(held),
  file_field: asked(fileFieldReady),
  // Answers an element, not JSON: the browser puts the files into it.
  file_node: fileNode,
  files_held: asked(filesHeld),
  file_fields: asked(fileFields),
  hold_focus: asked(holdFocus),
  value_after: asked(valueAfter),
  set_value: asked(setValue),
  select_option: asked(selectOption),
  own_list: asked(ownList),
  list_option: asked(listOption),
  list_says: asked(listSays),
  list_open: asked(listOpen),
  text: asked(text),
  html: asked(html),
  scroll: asked(scroll),
  snapshot: asked(snapshot),
  settled: asked(settled),
  storage_get: asked(storageGet),
  storage_set: asked(storageSet),
  marking: asked(marking),
  marked: asked(marked),
  element_box: asked(elementBox),
  over_frame: asked(overFrame),
  viewport: asked(viewport),
  cover: asked(cover),
  uncover: asked(uncover),
});
