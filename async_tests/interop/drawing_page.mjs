// Opens HTML pages in headless Chromium and gives back what their scripts leave in <pre id="result"> as JSON.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const skipped = 77;

export function findBrowser() {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
      return name;
    } catch { /* the next one */ }
  }
  return null;
}

function flags(profile, isDark) {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];  // Chromium has none for root
  const scheme = `--blink-settings=preferredColorScheme=${isDark ? 0 : 1}`;
  return [...sandbox, scheme, '--headless=new', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
    '--allow-file-access-from-files', `--user-data-dir=${profile}`];
}

function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'weft-drawing-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What a page says; `body` is HTML with scripts that set the text of #result. */
export function resultOf(browser, body, { isDark = false } = {}) {
  return inFolder((folder) => {
    const page = join(folder, 'page.html');
    writeFileSync(page, `<!doctype html><meta charset="utf-8"><body>${body}<pre id="result"></pre>`);
    const dom = execFileSync(browser, [...flags(join(folder, 'profile'), isDark), '--virtual-time-budget=60000',
      '--dump-dom', pathToFileURL(page).href], { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] }).toString();
    const text = dom.match(/<pre id="result">([^<]*)<\/pre>/)?.[1];
    if (!text) throw new Error('the page gives no result');
    const unescaped = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    return JSON.parse(unescaped);
  });
}

/** Writes a picture of a page. */
export function takePicture(browser, body, file, { isDark = false, width = 1400, height = 1800 } = {}) {
  inFolder((folder) => {
    const page = join(folder, 'page.html');
    writeFileSync(page, `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">` +
      `<body>${body}`);
    execFileSync(browser, [...flags(join(folder, 'profile'), isDark), '--virtual-time-budget=60000',
      `--window-size=${width},${height}`, `--screenshot=${file}`, pathToFileURL(page).href], { stdio: 'ignore' });
  });
}
