/** Colours as a browser computes them: reading, laying over each other, telling apart. */

export const WHITE = [255, 255, 255, 1];
const NONE = [0, 0, 0, 0];
// WCAG's contrast; hues of one brightness are told apart by distance.
const CONTRAST_MIN = 1.1;
const DISTANCE_MIN = 100;
const COLOUR = /(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)/g;
const RGB = /^rgba?\((\d+(?:\.\d+)?), (\d+(?:\.\d+)?), (\d+(?:\.\d+)?)(?:, (\d*\.?\d+(?:e-\d+)?))?\)$/;
const READ_MAX = 1000;

const read = new Map();
let paper = null;

/** Return [red, green, blue, alpha] of a computed colour, null when it is none. */
export function colourOf(written) {
  let colour = read.get(written);
  if (colour === undefined) {
    if (read.size >= READ_MAX) read.clear();
    read.set(written, (colour = parsed(written)));
  }
  return colour;
}

function parsed(written) {
  const rgb = RGB.exec(written);
  if (rgb) return [Number(rgb[1]), Number(rgb[2]), Number(rgb[3]), rgb[4] === undefined ? 1 : Number(rgb[4])];
  if (!CSS.supports("color", written)) return null;
  paper ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  paper.clearRect(0, 0, 1, 1);
  paper.fillStyle = written;
  paper.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = paper.getImageData(0, 0, 1, 1).data;
  return alpha === 0 ? NONE : [red, green, blue, alpha / 255];
}

/** Return the colours of a computed background image made of gradients only, null for one that shows a picture. */
export function gradientColours(image) {
  const rest = image.replace(COLOUR, "");
  if (/url\(|image|element\(|paint\(|cross-fade/.test(rest) || !rest.includes("gradient(")) return null;
  const colours = (image.match(COLOUR) ?? []).map(colourOf);
  return colours.length > 0 && colours.every(Boolean) ? colours : null;
}

/** Return *top* laid over the opaque *below*. */
export function over(top, below) {
  const alpha = top[3];
  return [0, 1, 2].map((place) => top[place] * alpha + below[place] * (1 - alpha)).concat(1);
}

function brightness([red, green, blue]) {
  const part = (value) => (value <= 10.31 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
}

/** Return whether nobody can tell the opaque *a* from the opaque *b*. */
export function isSame(a, b) {
  const [light, dark] = [brightness(a), brightness(b)].sort((x, y) => y - x);
  if ((light + 0.05) / (dark + 0.05) >= CONTRAST_MIN) return false;
  // The eye's weights ("redmean").
  const mean = (a[0] + b[0]) / 2;
  const [red, green, blue] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const distance = Math.sqrt((2 + mean / 256) * red ** 2 + 4 * green ** 2 + (2 + (255 - mean) / 256) * blue ** 2);
  return distance < DISTANCE_MIN;
}
