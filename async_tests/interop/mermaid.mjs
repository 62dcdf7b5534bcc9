// Mermaid itself parses the drawings of the gallery and, if there is a Chromium, renders them.
// usage: node mermaid.mjs <folder of node_modules> <folder of drawings> [<folder for pictures>]

import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBrowser, resultOf, takePicture } from './drawing_page.mjs';

const [modules, drawings, pictures] = process.argv.slice(2).map((path) => resolve(path));
const { JSDOM } = createRequire(join(modules, 'x.js'))('jsdom');
const { window } = new JSDOM('');
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import(pathToFileURL(join(modules, 'mermaid/dist/mermaid.core.mjs')).href);

const settings = { startOnLoad: false, securityLevel: 'strict', maxEdges: 100000, maxTextSize: 10000000 };
mermaid.initialize(settings);
const failures = [];
const files = readdirSync(drawings).filter((name) => name.endsWith('.mmd')).sort();
if (files.length === 0) failures.push('there are no drawings');

for (const file of files) {
  const text = readFileSync(join(drawings, file), 'utf8');
  try {
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    const lines = text.split('\n');
    const nodes = lines.filter((line) => /^ +[nk]\d+[[({]/.test(line)).length;
    const edges = lines.filter((line) => /^ {4}[nk]\d+ -/.test(line)).length;
    const clusters = lines.filter((line) => /^ *subgraph /.test(line)).length;
    const found = [db.getVertices().size, db.getEdges().length, db.getSubGraphs().length];
    if (`${found}` !== `${[nodes, edges, clusters]}`)
      failures.push(`${file}: Mermaid sees ${found} nodes, edges and clusters of ${[nodes, edges, clusters]}`);
    console.log(`${file}: ${found[0]} nodes, ${found[1]} edges, ${found[2]} clusters`);
  } catch (error) {
    failures.push(`${file}: ${error.message}`);
  }
}

const browser = findBrowser();
if (!browser) {
  console.log('no Chromium: parsed only');
} else {
  const script = `<script src="${pathToFileURL(join(modules, 'mermaid/dist/mermaid.min.js')).href}"></script>`;
  const names = JSON.parse(readFileSync(join(drawings, 'nasty.names.json'), 'utf8'));
  const rendered = files.filter((name) => !name.startsWith('large'));
  const texts = rendered.map((file) => readFileSync(join(drawings, file), 'utf8'));
  // One start of the browser renders them all, one after the other.
  const page = (shown, theme) => `<div id="out"></div>${script}<script>
    mermaid.initialize(${JSON.stringify({ ...settings, theme })});
    addEventListener('load', async () => {
      const results = [];
      for (const text of ${JSON.stringify(shown).replaceAll('<', '\\u003c')}) {
        try {
          const { svg } = await mermaid.render('drawing', text);
          document.getElementById('out').innerHTML = svg;
          const labels = [...document.querySelectorAll('.node .nodeLabel')].map((label) => label.textContent);
          results.push({ labels, scripts: document.querySelectorAll('#out script').length });
        } catch (error) {
          results.push({ error: error.message });
        }
      }
      const result = document.getElementById('result');
      if (result) result.textContent = JSON.stringify(results);
    });
    </script>`;
  resultOf(browser, page(texts, 'default')).forEach((result, index) => {
    const file = rendered[index];
    if (result.error) failures.push(`${file}: ${result.error}`);
    else if (result.scripts) failures.push(`${file}: a label became a script`);
    if (file === 'nasty.mmd' && !result.error) {
      const squeezed = new Set(result.labels.map((label) => label.replace(/\s+/g, ' ').trim()));
      for (const name of names)
        if (!squeezed.has(name.replace(/\s+/g, ' ').trim())) failures.push(`${file}: no node reads ${JSON.stringify(name)}`);
      if (failures.length) console.log(JSON.stringify([...squeezed]));
    }
    if (pictures) {
      takePicture(browser, page([texts[index]], 'default'), join(pictures, `${file}.png`));
      takePicture(browser, `<style>body{background:#1b1b1f}</style>${page([texts[index]], 'dark')}`,
        join(pictures, `${file}.dark.png`));
    }
  });
}
for (const failure of failures) console.error(`failed: ${failure}`);
process.exit(failures.length ? 1 : 0);
