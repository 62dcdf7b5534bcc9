// How soon the page shows what a key or a click does, and how many frames it draws.

import { quoted } from './person.mjs';

/** From a key, or a click, to the end of the frame that shows what it did. */
const watchPaints = `window.paints ??= (() => {
  const paints = [];
  const note = ({ type, detail, timeStamp }) => {
    if (type === 'click' && !detail) return;  // a key did that
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => paints.push(performance.now() - timeStamp);
      port2.postMessage(0);
    });
  };
  for (const type of ['keydown', 'click']) addEventListener(type, note, true);
  return paints;
})();0`;

/** What a person did at a page, each with the time until it was seen. */
export class Stopwatch {
  constructor(person) {
    this.person = person;
    this.times = [];
  }

  async #timed(what, act) {
    const { tab } = this.person;
    await tab.value(`${watchPaints};paints.length = 0`);
    await act();
    await tab.until('paints.length > 0', 'a paint');
    const [ms, place] = await tab.value(`[paints[0], location.hash.replace(/.*[?]/, '')]`);
    this.times.push({ ms, what: `${what} to ${place}` });
  }

  async press(...keys) {
    for (const key of keys) await this.#timed(key, () => this.person.press(key));
  }

  async click(selector) {
    const [x, y] = await this.person.tab.value(`(() => {
      const box = document.querySelector(${quoted(selector)}).getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2]; })()`);
    const at = { x, y, button: 'left', clickCount: 1 };
    await this.#timed(selector, async () => {
      await this.person.tab.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
      await this.person.tab.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
    });
  }

  toString() {
    const sorted = this.times.toSorted((a, b) => a.ms - b.ms);
    const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))].ms.toFixed(0);
    return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms (${sorted.at(-1).what}) of ${sorted.length}`;
  }
}

/** @returns  Frames and visits per second while a run is at work. */
export function paced(person, ms) {
  return person.tab.value(`(async () => {
    const visits = () => Number(document.querySelector('.vrow').ariaSetSize);
    const [begun, before] = [performance.now(), visits()];
    let frames = 0;
    while (performance.now() - begun < ${ms}) { await new Promise(requestAnimationFrame); ++frames; }
    const seconds = (performance.now() - begun) / 1000;
    return [frames / seconds, (visits() - before) / seconds]; })()`);
}
