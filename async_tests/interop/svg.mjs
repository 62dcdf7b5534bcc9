// Chromium shows the SVG drawings of the gallery, light and dark; nothing may overlap, be hard to read or crossed out.
// usage: node svg.mjs <folder of drawings> [<folder for pictures>]

import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findBrowser, resultOf, skipped, takePicture } from './drawing_page.mjs';

const [drawings, pictures] = process.argv.slice(2).map((path) => resolve(path));
const browser = findBrowser();
if (!browser) {
  console.log('skipped: there is no Chromium');
  process.exit(skipped);
}
const files = readdirSync(drawings).filter((name) => name.endsWith('.svg')).sort();
if (files.length === 0) {
  console.log('skipped: weft was built without Graphviz');
  process.exit(skipped);
}

// Runs in the frame of a drawing.
function examine() {
  const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).map((v) => (v /= 255, v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const style = (element) => getComputedStyle(element);
  const background = style(document.querySelector('svg .graph > polygon')).fill;
  const texts = [...document.querySelectorAll('svg text')];
  const boxes = texts.map((text) => text.getBoundingClientRect());
  const problems = [];
  const order = texts.map((_, i) => i).sort((a, b) => boxes[a].top - boxes[b].top);
  for (let i = 0; i < order.length; ++i)
    for (let j = i + 1; j < order.length && boxes[order[j]].top < boxes[order[i]].bottom; ++j) {
      const [a, b] = [boxes[order[i]], boxes[order[j]]];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && high > 4)
        problems.push(`'${texts[order[i]].textContent}' overlaps '${texts[order[j]].textContent}'`);
    }
  texts.forEach((text, i) => {
    const group = text.closest('g.node, g.cluster');
    const shape = group?.querySelector('polygon, ellipse, path');
    const isFilled = shape && style(shape).fill !== 'none';
    const isTitle = text.closest('g.title') !== null;
    const behind = isTitle ? style(text).stroke : isFilled ? style(shape).fill : background;
    const ratio = contrast(style(text).fill, behind);
    if (ratio < 4.5) problems.push(`'${text.textContent}' has a contrast of ${ratio.toFixed(1)}`);
    if (!group?.classList.contains('node') || !isFilled) return;
    const around = shape.getBoundingClientRect();
    const sticksOut = Math.max(around.left - boxes[i].left, boxes[i].right - around.right);
    if (sticksOut > 2) problems.push(`'${text.textContent}' sticks out of its node by ${sticksOut.toFixed(0)}`);
  });
  const crosses = (path, box) => {
    const onScreen = path.getScreenCTM();
    const length = path.getTotalLength();
    for (let at = 0; at < length; at += 2) {
      const point = path.getPointAtLength(at).matrixTransform(onScreen);
      if (point.x > box.left && point.x < box.right && point.y > box.top && point.y < box.bottom) return true;
    }
    return false;
  };
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const titles = texts.map((_, i) => i).filter((i) => texts[i].closest('g.cluster, g.title'));
  document.querySelectorAll('svg .edge path').forEach((path) => {
    const around = path.getBoundingClientRect();
    for (const i of titles) {
      const isLater = texts[i].compareDocumentPosition(path) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (isLater && meet(around, boxes[i]) && crosses(path, boxes[i]))
        problems.push(`an edge is drawn across '${texts[i].textContent}'`);
    }
    const ratio = contrast(style(path).stroke, background);
    if (ratio < (path.closest('.idle') ? 1.5 : 3)) problems.push(`an edge has a contrast of ${ratio.toFixed(1)}`);
  });
  return { texts: texts.map((text) => text.textContent), background, problems };
}

// One start of the browser shows all drawings, each in a frame of its own.
const texts = files.map((file) => readFileSync(join(drawings, file), 'utf8'));
const attribute = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const frames = texts.map((svg) => {
  const page = `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">` +
    `<script>${examine}</script><body>${svg}`;
  return `<iframe width="1400" height="1800" srcdoc="${attribute(page)}"></iframe>`;
});
const gallery = `<meta name="color-scheme" content="light dark"><script>addEventListener('load', () => {
  const results = [...document.querySelectorAll('iframe')].map((frame) => frame.contentWindow.examine());
  document.getElementById('result').textContent = JSON.stringify(results);
})</script>${frames.join('')}`;

const failures = [];
const names = JSON.parse(readFileSync(join(drawings, 'nasty.names.json'), 'utf8'));
const squeeze = (text) => text.replace(/[\s\u00a0]+/g, ' ').trim();
const shown = [false, true].map((isDark) => resultOf(browser, gallery, { isDark }));
files.forEach((file, index) => {
  for (const isDark of [false, true]) {
    const where = `${file}${isDark ? ', dark' : ''}`;
    const result = shown[Number(isDark)][index];
    console.log(`${where}: ${result.texts.length} texts on ${result.background}`);
    for (const problem of result.problems.slice(0, 20)) failures.push(`${where}: ${problem}`);
    if (file === 'nasty.svg') {
      const found = new Set(result.texts.map(squeeze));
      for (const name of names) if (!found.has(squeeze(name))) failures.push(`${file}: no text ${JSON.stringify(name)}`);
    }
    if (pictures)
      takePicture(browser, texts[index], join(pictures, `${file}${isDark ? '.dark' : ''}.png`), { isDark });
  }
  if (shown[0][index].background === shown[1][index].background)
    failures.push(`${file}: it does not follow the reader's setting`);
});
for (const failure of failures) console.error(`failed: ${failure}`);
process.exit(failures.length ? 1 : 0);
