// The pump: everything a skill meets of the world, and the only way out of its realm.
//
// Rule: no live object crosses. The host evaluates `turn` calls with JSON text in them and takes
// JSON text back from `drain`; what a skill does to its own realm stays there. The parent process
// judges every line again, so a broken pump costs one skill run and nothing else.
//
// This file is one expression: a function of the limits that returns the host's end. It is
// evaluated before any skill text, so all it takes from the realm is still the engine's own.
(function pump(limits) {
  'use strict';

  const { stringify, parse } = JSON;
  const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Reflect;
  const { freeze } = Object;
  const Promise_ = Promise;
  const promiseResolve = Promise.resolve;
  const promiseThen = Promise.prototype.then;
  const String_ = String;
  const Number_ = Number;
  const Error_ = Error;
  const TypeError_ = TypeError;
  const RangeError_ = RangeError;
  const slice = String.prototype.slice;
  const mapGet = Map.prototype.get;
  const mapSet = Map.prototype.set;
  const mapDelete = Map.prototype.delete;
  const mapSize = getOwnPropertyDescriptor(Map.prototype, 'size').get;

  const pending = new Map(); // call id -> [resolve, reject]
  const timers = new Map(); // timer id -> [callback, arguments, repeats, delay]
  let out = [];
  let nextId = 1;
  let calls = 0;
  let logLines = 0;
  let done = false;

  // --- probe: a V8 flag that was not taken fails open, so the realm itself is asked

  function flagsTaken() {
    const makers = [
      () => (0, eval)('1'),
      () => Function('return 1'),
      () => (async () => {}).constructor('return 1'),
      () => (function* () {}).constructor('return 1'),
      () => (async function* () {}).constructor('return 1'),
    ];
    for (let i = 0; i < makers.length; i += 1) {
      try {
        makers[i]();
        return 'code from strings';
      } catch (error) {
        if (!(error instanceof EvalError)) return 'code from strings';
      }
    }
    return typeof WebAssembly === 'undefined' ? '' : 'WebAssembly';
  }

  // --- what a skill is given

  function push(message) {
    out[out.length] = message;
  }

  function browserAction(...args) {
    if (done) throw new Error_('the skill has already returned; browserAction is closed');
    // One snapshot, taken now: a getter cannot say one thing to the check and another to the act.
    const text = stringify(args);
    calls += 1;
    // One past the budget is still sent, so that the parent sees the breach and ends the run.
    if (calls > limits.calls_max + 1) throw new RangeError_('too many browserAction calls');
    const id = nextId++;
    return new Promise_((resolve, reject) => {
      apply(mapSet, pending, [id, [resolve, reject]]);
      push('{"t":"call","id":' + id + ',"args":' + text + '}');
    });
  }

  function timerOf(repeats) {
    return function (callback, delay, ...args) {
      if (typeof callback !== 'function') throw new TypeError_('callback must be a function');
      let ms = Number_(delay);
      if (!(ms >= 0)) ms = 0; // NaN and negative delays mean "soon", as in browsers
      if (ms > limits.timer_ms_max) {
        throw new RangeError_('delay over ' + limits.timer_ms_max + ' ms');
      }
      if (apply(mapSize, timers, []) >= limits.timers_max) {
        throw new RangeError_('more than ' + limits.timers_max + ' timers');
      }
      if (repeats && ms < 1) ms = 1;
      const id = nextId++;
      apply(mapSet, timers, [id, [callback, args, repeats, ms]]);
      push('{"t":"timer","id":' + id + ',"ms":' + ms + '}');
      return id;
    };
  }

  function clearTimer(id) {
    if (apply(mapDelete, timers, [id])) push('{"t":"clear","id":' + id + '}');
  }

  function shown(value) {
    try {
      const text = typeof value === 'string' ? value : stringify(value);
      return text === undefined ? String_(value) : text;
    } catch {
      return '?';
    }
  }

  function logger(level) {
    return function (...args) {
      if (done || logLines > limits.log_lines_max) return;
      logLines += 1;
      let text = '';
      for (let i = 0; i < args.length && text.length <= limits.log_chars_max; i += 1) {
        text += (i ? ' ' : '') + shown(args[i]);
      }
      text = apply(slice, text, [0, limits.log_chars_max]);
      push('{"t":"log","level":"' + level + '","text":' + stringify(text) + '}');
    };
  }

  const logError = logger('error');

  // Whatever a skill throws, reading it must not throw: getters, proxies, odd toString.
  function textOf(read, size) {
    try {
      return apply(slice, String_(read()), [0, size]);
    } catch {
      return '?';
    }
  }

  function errorMessage(error) {
    return textOf(() => {
      const own = error !== null && typeof error === 'object' ? error.message : undefined;
      return own === undefined ? error : own;
    }, 2000);
  }

  function errorText(error) {
    const isObject = error !== null && typeof error === 'object';
    const message = stringify(errorMessage(error));
    const stack = stringify(textOf(() => (isObject ? error.stack : ''), 4000));
    return '{"t":"err","message":' + message + ',"stack":' + stack + '}';
  }

  function finish(message) {
    if (done) return;
    done = true;
    push(message);
  }

  // --- the realm

  function close(name, value) {
    const present = getOwnPropertyDescriptor(globalThis, name);
    const shape = { value, writable: false, enumerable: true };
    if (!present || present.configurable) shape.configurable = false;
    if (!defineProperty(globalThis, name, shape)) throw new Error_('cannot close ' + name);
  }

  function prepareRealm() {
    const dangerous = [
      'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'eval', 'Function', 'console',
      'FinalizationRegistry', 'WeakRef', 'ShadowRealm', 'gc',
    ];
    for (let i = 0; i < dangerous.length; i += 1) {
      if (dangerous[i] in globalThis && !delete globalThis[dangerous[i]]) {
        throw new Error_('cannot remove ' + dangerous[i]);
      }
    }
    close('__timer_manager', undefined);
    close('browserAction', browserAction);
    close('setTimeout', timerOf(false));
    close('setInterval', timerOf(true));
    close('clearTimeout', clearTimer);
    close('clearInterval', clearTimer);
    const levels = { log: 'info', info: 'info', warn: 'warning', error: 'error', debug: 'debug' };
    const console_ = {};
    for (const name of ownKeys(levels)) console_[name] = logger(levels[name]);
    close('console', freeze(console_));
  }

  // The global object itself stays open: `function execute` must be able to land on it.
  function freezeIntrinsics() {
    const seen = new Set([globalThis]);
    const waiting = [];
    const visit = (value) => {
      const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
      if (isObject && !seen.has(value)) {
        seen.add(value);
        waiting.push(value);
      }
    };
    for (const key of ownKeys(globalThis)) {
      const { value, get, set } = getOwnPropertyDescriptor(globalThis, key);
      [value, get, set].forEach(visit);
    }
    // Reachable by syntax only.
    [
      getPrototypeOf(globalThis), async () => {}, function* () {}, async function* () {},
      [].values(), new Map().values(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g),
      (function* () {})(), (async function* () {})(), Object.getOwnPropertyDescriptor(
        function () { return arguments; }.call(), 'callee').get,
    ].forEach(visit);
    while (waiting.length) {
      const item = waiting.pop();
      if (ArrayBuffer.isView(item)) continue;
      freeze(item);
      for (const key of ownKeys(item)) {
        const { value, get, set } = getOwnPropertyDescriptor(item, key);
        [value, get, set].forEach(visit);
      }
      visit(getPrototypeOf(item));
    }
  }

  const missed = flagsTaken();
  if (!missed) {
    prepareRealm();
    freezeIntrinsics();
  }

  // --- the host's end; every call is followed by the microtasks it caused, then by `drain`

  return freeze({
    missed,
    start(execute, params) {
      const returned = (value) => {
        try {
          const text = stringify(value);
          finish('{"t":"ret","value":' + (text === undefined ? 'null' : text) + '}');
        } catch (error) {
          finish(errorText(error));
        }
      };
      const failed = (error) => finish(errorText(error));
      try {
        if (typeof execute !== 'function') {
          throw new TypeError_('the file declares no function named execute');
        }
        // A promise with a throwing `constructor` or species lands in the catch as well.
        const settled = apply(promiseResolve, Promise_, [execute(parse(params), browserAction)]);
        apply(promiseThen, settled, [returned, failed]);
      } catch (error) {
        failed(error);
      }
    },
    refuse(message) {
      finish('{"t":"err","message":' + stringify(message) + ',"stack":""}');
    },
    answer(id, ok, text) {
      const entry = apply(mapGet, pending, [id]);
      if (!entry) return;
      apply(mapDelete, pending, [id]);
      if (ok) entry[0](parse(text));
      else entry[1](new Error_(text));
    },
    fire(id) {
      const timer = apply(mapGet, timers, [id]);
      if (!timer) return;
      if (timer[2]) push('{"t":"timer","id":' + id + ',"ms":' + timer[3] + '}');
      else apply(mapDelete, timers, [id]);
      try {
        apply(timer[0], undefined, timer[1]);
      } catch (error) {
        logError('a timer callback failed:', errorMessage(error)); // as a browser's console does
      }
    },
    drain() {
      let text = '{"m":[';
      for (let i = 0; i < out.length; i += 1) text += (i ? ',' : '') + out[i];
      out = [];
      return text + ']}';
    },
  });
})
