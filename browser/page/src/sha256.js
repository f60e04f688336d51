/** SHA-256, at once: the browser's own one only answers later, and on secure pages only. */

const K = new Uint32Array(64);
const START = new Uint32Array(8);
const WORD = 2 ** 32;
fillConstants();

/** The fractional parts of the roots of the first primes, as FIPS 180-4 defines them. */
function fillConstants() {
  let found = 0;
  for (let candidate = 2; found < 64; candidate++) {
    let isPrime = true;
    for (let by = 2; by * by <= candidate; by++) if (candidate % by === 0) isPrime = false;
    if (!isPrime) continue;
    if (found < 8) START[found] = (candidate ** (1 / 2) % 1) * WORD;
    K[found++] = (candidate ** (1 / 3) % 1) * WORD;
  }
}

const turned = (word, by) => (word >>> by) | (word << (32 - by));

function padded(bytes) {
  const whole = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setUint32(whole.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(whole.length - 4, bytes.length << 3);
  return view;
}

function schedule(view, at, words) {
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + i * 4);
  for (let i = 16; i < 64; i++) {
    const [early, late] = [words[i - 15], words[i - 2]];
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[i] = words[i - 16] + small + words[i - 7] + large;
  }
}

function compress(state, words) {
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + words[i]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, place) => (state[place] += word));
}

/** Return the SHA-256 of *text* in hexadecimal. */
export function sha256(text) {
  const view = padded(new TextEncoder().encode(text));
  const state = START.slice();
  const words = new Uint32Array(64);
  for (let at = 0; at < view.byteLength; at += 64) {
    schedule(view, at, words);
    compress(state, words);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}
