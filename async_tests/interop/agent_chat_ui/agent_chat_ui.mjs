// agent-chat-ui of LangChain in Chromium against a server of weft: its own components, made into a page by esbuild.
// usage: agent_chat_ui.mjs <url of the server> <folder of its sources, with node_modules>

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { findBrowser, skipped } from '../drawing_page.mjs';
import { Browser } from '../browser.mjs';

const [api, folder] = process.argv.slice(2).map((word, i) => (i ? resolve(word) : word));
const program = findBrowser();
if (!program) {
  console.log('skipped: there is no Chromium');
  process.exit(skipped);
}

// What Next.js does for the page: its frame, and the address of the server from the environment.
const frame = `
import { createRoot } from 'react-dom/client';
import { NuqsAdapter } from 'nuqs/adapters/react';
import Page from './src/app/page';
createRoot(document.getElementById('root')).render(<NuqsAdapter><Page /></NuqsAdapter>);`;

async function servePage() {
  const { build } = createRequire(resolve(folder, 'package.json'))('esbuild');
  const env = { NEXT_PUBLIC_API_URL: api, NEXT_PUBLIC_ASSISTANT_ID: 'assistant', NODE_ENV: 'production' };
  const { outputFiles } = await build({
    stdin: { contents: frame, resolveDir: folder, loader: 'tsx' }, bundle: true, write: false, outdir: '/out',
    format: 'esm', jsx: 'automatic', logLevel: 'error', alias: { '@': resolve(folder, 'src') }, minify: true,
    define: Object.fromEntries(Object.entries(env).map(([name, value]) => [`process.env.${name}`, `"${value}"`])),
    loader: { '.woff': 'empty', '.woff2': 'empty', '.ttf': 'empty' },
    banner: { js: 'globalThis.process ??= { env: {} };' },
  });
  const script = outputFiles.find((file) => file.path.endsWith('.js')).text;
  const server = createServer(({ url }, answer) => {
    if (url.startsWith('/page.js')) answer.setHeader('Content-Type', 'text/javascript').end(script);
    else answer.setHeader('Content-Type', 'text/html').end('<!doctype html><meta charset="utf-8">' +
      '<link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/page.js"></script>');
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return server;
}

let passed = 0;
function check(isRight, what, seen) {
  if (!isRight) throw new Error(`${what}: ${JSON.stringify(seen)}`);
  passed += 1;
}

const shown = 'document.body.innerText';
const button = (name) => `[...document.querySelectorAll("button")].filter((one) => one.innerText.trim() === "${name}")`;

async function type(tab, selector, text) {
  await tab.until(`document.querySelector('${selector}')`, 'the page');
  await tab.value(`document.querySelector('${selector}').focus(), document.querySelector('${selector}').select()`);
  await tab.send('Input.insertText', { text });
}

async function shows(tab, text, what) {
  await tab.until(`${shown}.includes(${JSON.stringify(text)})`, what);
  await tab.until(`!(${button('Cancel')}.length)`, `${what}: it rests`);
  passed += 1;
}

async function send(tab, text) {
  await type(tab, 'textarea', text);
  await tab.until('!document.querySelector("button[type=submit]").disabled', 'the button');
  await tab.value('document.querySelector("button[type=submit]").click()');
}

async function chats(tab) {
  await send(tab, 'hello');
  await shows(tab, 'You said: hello', 'an answer');
  await send(tab, 'count 60');
  await tab.until(`${shown}.includes("1 2 3 4")`, 'a long answer appears token by token');
  await tab.until(`${button('Cancel')}.length`, 'the button Cancel');
  await tab.value(`${button('Cancel')}[0].click()`);
  // Cancel leaves the stream only, which is resumable: the run goes on, and the next one waits for it.
  await send(tab, 'good morning');
  await shows(tab, 'You said: good morning', 'an answer after one that was left');
}

/** Another answer to the same words, and other words: both are branches. */
async function branches(tab) {
  await tab.value('[...document.querySelectorAll(".lucide-refresh-ccw")].at(-1).closest("button").click()');
  await tab.until(`${shown}.includes("2 / 2")`, 'the branches of an answer');
  await shows(tab, 'You said: good morning', 'another answer');
  await tab.value('document.querySelector(".lucide-pencil").closest("button").click()');
  await type(tab, 'textarea', 'good evening');
  await tab.value('document.querySelector(".lucide-send-horizontal").closest("button").click()');
  await shows(tab, 'You said: good evening', 'the first message, edited');
}

/** In a thread of its own: the page shows questions behind an answer, or where there is none yet. */
async function asks(tab, address) {
  await tab.go(address);
  await send(tab, 'review it');
  await tab.until(`${shown}.includes("send_mail")`, 'a question in the form of the agent inbox');
  await tab.until(`${button('Approve')}.length`, 'the button Approve');
  await tab.value(`${button('Approve')}[0].click()`);
  await shows(tab, 'It is sent', 'what follows from the answer');
}

async function lists(tab, address) {
  await tab.go(`${address}?chatHistoryOpen=true`);
  await tab.until(`${button('good evening')}.length`, 'the list of threads');
  await tab.value(`${button('good evening')}[0].click()`);
  await shows(tab, 'You said: good evening', 'a thread of the list');
}

const server = await servePage();
const browser = new Browser(program);
let failure;
let tab;
try {
  const address = `http://127.0.0.1:${server.address().port}/`;
  tab = await browser.open(address);
  await tab.send('Emulation.setDeviceMetricsOverride', { width: 1400, height: 900, deviceScaleFactor: 1, mobile: false });
  await tab.until('document.querySelector("textarea")', 'the page');
  await chats(tab);
  await branches(tab);
  await asks(tab, address);
  await lists(tab, address);
  check(tab.requests.includes('GET /info'), 'it asks for /info', tab.requests);
  check(tab.faults.length === 0, 'no fault', tab.faults);
} catch (e) {
  failure = e;
}
await browser.close();
server.close();
server.closeAllConnections();
if (failure) {
  console.error(`failed: ${failure.message}; faults: ${tab?.faults.join('; ')}`);
  process.exit(1);
}
const { version } = JSON.parse(readFileSync(resolve(folder, 'node_modules/@langchain/langgraph-sdk/package.json')));
console.log(`agent_chat_ui: ${passed} checks passed, with version ${version} of the SDK`);
