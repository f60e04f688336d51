// Walk exported charts in XState: one JSON document on stdin, one on stdout.
//
// in:  {charts: [{machine, guards: [name, ...], items: [{from, event, coins}, ...]}, ...]}
// out: {charts: [{initial, steps: [...], warnings: [...]}, ...]}
// An item starts at the state after item `from` (-1 = initial). `coins` has one "0" or "1" for
// each plain guard of `guards`; a compound guard is built from the tree in the machine's meta.
import { and, fromPromise, initialTransition, not, or, setup, transition } from "xstate";

const MICROSTEPS_MAX = 100;
const warnings = [];
console.warn = (...told) => warnings.push(told.join(" "));
console.error = console.warn;

function* nodesOf(node) {
  yield node;
  for (const child of Object.values(node.states ?? {})) yield* nodesOf(child);
}

function* rowsOf(node) {
  yield* node.always ?? [];
  for (const rows of Object.values(node.on ?? {})) yield* rows;
  for (const rows of Object.values(node.after ?? {})) yield* rows;
  for (const call of node.invoke ?? []) yield* [...(call.onDone ?? []), ...(call.onError ?? [])];
}

function built(tree) {
  if (typeof tree === "string") return tree;
  if (tree.not) return not(built(tree.not));
  return tree.and ? and(tree.and.map(built)) : or(tree.or.map(built));
}

function implementations(machine, plain) {
  const guards = Object.fromEntries(
    plain.map((name, at) => [name, ({ event }) => event.coins[at] === "1"]),
  );
  for (const [name, tree] of Object.entries(machine.meta.guards)) guards[name] = built(tree);
  const actions = {};
  const actors = {};
  const delays = {};
  for (const node of nodesOf(machine)) {
    const used = [...(node.entry ?? []), ...(node.exit ?? [])];
    for (const row of rowsOf(node)) used.push(...(row.actions ?? []));
    for (const action of used) actions[action.type] = () => {};
    for (const call of node.invoke ?? []) actors[call.src] = fromPromise(() => new Promise(() => {}));
    for (const key of Object.keys(node.after ?? {})) if (Number.isNaN(+key)) delays[key] = 1000;
  }
  return { guards, actions, actors, delays };
}

function pathOf(value) {
  if (typeof value === "string") return value;
  const [[name, below]] = Object.entries(value);
  return `${name}.${pathOf(below)}`;
}

function told(snapshot, executed) {
  const found = { state: pathOf(snapshot.value), actions: [], invokes: [], timers: [] };
  for (const { type, params } of executed) {
    if (type === "xstate.spawnChild") found.invokes.push(params.id);
    else if (type === "xstate.raise") found.timers.push(params.event.type);
    else if (type.startsWith("sgclaw.")) found.actions.push(`${type.slice(7)} ${params.id}`);
    else if (!type.startsWith("xstate.")) found.actions.push(type);
  }
  found.invokes.sort();
  found.timers.sort();
  return found;
}

function walked({ machine: config, guards, items }) {
  warnings.length = 0;
  const limited = { ...config, options: { maxIterations: MICROSTEPS_MAX } };
  const machine = setup(implementations(config, guards)).createMachine(limited);
  const [start, executed] = initialTransition(machine);
  const snapshots = [];
  const steps = items.map(({ from, event, coins }) => {
    const at = from < 0 ? start : snapshots[from];
    snapshots.push(at);
    const sent = { type: event, coins };
    // An event that no row takes changes nothing with us; XState would try eventless rows again.
    if (machine.getTransitionData(at, sent).length === 0) return { ignored: true };
    const [next, actions] = transition(machine, at, sent);
    snapshots[snapshots.length - 1] = next;
    return told(next, actions);
  });
  return { initial: told(start, executed), steps, warnings: [...new Set(warnings)] };
}

let text = "";
for await (const part of process.stdin.setEncoding("utf8")) text += part;
const { charts } = JSON.parse(text);
process.stdout.write(JSON.stringify({ charts: charts.map(walked) }));
