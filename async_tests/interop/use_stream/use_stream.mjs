// The hooks useStream of both generations in Chromium against a server of weft.
// usage: use_stream.mjs <url of the server> <folder with node_modules>

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser, skipped } from '../drawing_page.mjs';
import { Browser } from '../browser.mjs';

const [api, modules] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const program = findBrowser();
if (!program) {
  console.log('skipped: there is no Chromium');
  process.exit(skipped);
}

async function bundle(hook) {
  const { build } = createRequire(resolve(modules, 'package.json'))('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(here, 'page.jsx')], bundle: true, write: false, format: 'esm', jsx: 'automatic', logLevel: 'error',
    alias: { 'use-chat': join(here, `chat_${hook}.jsx`) }, nodePaths: [resolve(modules, 'node_modules')],
    define: { 'process.env.NODE_ENV': '"development"' },  // warnings of React are errors of the console
  });
  return outputFiles[0].text;
}

/** The page comes from another origin than the API, as in most deployments. */
async function servePages() {
  const scripts = { '/v1.js': await bundle('v1'), '/v2.js': await bundle('v2') };
  const server = createServer(({ url }, answer) => {
    const path = new URL(url, 'http://page').pathname;
    if (scripts[path]) answer.setHeader('Content-Type', 'text/javascript').end(scripts[path]);
    else answer.setHeader('Content-Type', 'text/html').end(
      '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body><div id="root"></div>' +
      `<script type="module" src="${path.slice(0, 3)}.js"></script>`);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return server;
}

let passed = 0;
function check(isRight, what, seen) {
  if (!isRight) throw new Error(`${what}: ${JSON.stringify(seen)}`);
  passed += 1;
}

const texts = '[...document.querySelectorAll("li > span")].map((one) => one.textContent)';
const loads = 'document.querySelector("main").dataset.loading === "true"';

/** What a person does with the page. */
class Chat {
  constructor(tab) {
    this.tab = tab;
  }

  press(selector) {
    return this.tab.value(`document.querySelector('${selector}').click()`);
  }

  async type(text) {
    await this.tab.until('document.querySelector("#draft")', 'the page');
    await this.tab.value('document.querySelector("#draft").focus(), document.querySelector("#draft").select()');
    await this.tab.send('Input.insertText', { text });
  }

  async send(text) {
    await this.type(text);
    await this.press('#send');
  }

  /** Waits until the chat shows these messages and no run is under way. */
  async shows(wanted, what) {
    const isThere = `JSON.stringify(${texts}) === ${JSON.stringify(JSON.stringify(wanted))} && !(${loads})`;
    await this.tab.until(isThere, what).catch(async (e) => {
      throw new Error(`${e.message}; it shows ${JSON.stringify(await this.tab.value(texts))}, ` +
        `${await this.tab.value(loads) ? 'loads' : 'rests'}; ${this.tab.faults.join('; ')}`);
    });
    passed += 1;
  }

  until(expression, what) {
    return this.tab.until(expression, what);
  }

  seen() {
    return this.tab.value('window.seen');
  }
}

const counted = (count) => Array.from({ length: count }, (_, i) => `${i + 1} `).join('');

async function talks(chat) {
  await chat.send('hello');
  await chat.shows(['hello', 'You said: hello'], 'a message and its answer');
}

async function answersAQuestion(chat) {
  await chat.send('ask me');
  await chat.until('document.querySelector("#question")', 'a question');
  const asked = await chat.tab.value('document.querySelector("#question").textContent');
  check(asked.includes('Shall I?'), 'the question', asked);
  await chat.press('#yes');
  await chat.shows(['hello', 'You said: hello', 'ask me', 'You say yes'], 'the answer to a question');
  check(!(await chat.tab.value('document.querySelector("#question")')), 'no question is left', '');
}

async function editsAMessage(chat, hook) {
  await chat.type('welcome');
  await chat.until('document.querySelectorAll("button.edit").length >= 3', 'the places of messages');
  await chat.press('li:nth-child(3) .edit');
  await chat.shows(['hello', 'You said: hello', 'welcome', 'You said: welcome'], 'a branch from an earlier checkpoint');
  if (hook !== 'v1') return;
  await chat.until('document.querySelector(".previous")', 'the branches');
  await chat.press('.previous');
  await chat.shows(['hello', 'You said: hello', 'ask me', 'You say yes'], 'the branch of before');
  await chat.type('good day');
  await chat.press('li:nth-child(1) .edit');
  await chat.shows(['good day', 'You said: good day'], 'a branch from the beginning');
}

async function stops(chat) {
  const before = await chat.tab.value(texts);
  await chat.send('count 1000');
  await chat.until('window.seen.at(-1)?.startsWith("1 2 3 ")', 'a long answer appears token by token');
  await chat.press('#stop');
  await chat.until(`!(${loads})`, 'it stops');
  await chat.send('again');
  // The hook of the second protocol keeps what the stopped run had said, behind all that the state has.
  await chat.until(`${texts}.includes("You said: again") && !(${loads})`, 'a run after a stopped one');
  check((await chat.tab.value(texts)).length >= before.length + 3, 'what was said stays', before);
}

/** A page that is loaded again, and another tab, see the run that is under way, and its end. */
async function joins(browser, chat) {
  await chat.send('count 80');
  await chat.until('window.seen.at(-1)?.startsWith("1 2 3 ")', 'a long answer begins');
  const address = await chat.tab.value('location.href');
  await chat.tab.reload();
  const other = new Chat(await browser.open(address));
  for (const [one, name] of [[chat, 'the page that was loaded again'], [other, 'the second tab']]) {
    await one.until(`${texts}.includes(${JSON.stringify(counted(80))}) && !(${loads})`, `${name} sees the end`);
    const grown = (await one.seen()).filter((text) => text.startsWith('1 ') && text.length < counted(80).length);
    check(grown.length >= 3, `${name} sees it grow`, grown);
  }
  check(JSON.stringify(await chat.tab.value(texts)) === JSON.stringify(await other.tab.value(texts)), 'both see the same',
    await other.tab.value(texts));
  return other;
}

/** What one tab begins, the other one sees too: the second protocol watches the thread. */
async function followsTheOther(chat, other) {
  await chat.send('both');
  await other.until(`${texts}.includes("You said: both") && !(${loads})`, 'the other tab sees what this one said');
  check(true, 'both');
}

async function tryHook(browser, pages, hook, transport) {
  const query = new URLSearchParams({ api, ...(transport && { transport }) });
  const chat = new Chat(await browser.open(`http://127.0.0.1:${pages.address().port}/${hook}?${query}`));
  const name = transport ? `${hook} over ${transport}` : hook;
  let other;
  try {
    await talks(chat);
    await answersAQuestion(chat);
    await editsAMessage(chat, hook);
    await stops(chat);
    other = await joins(browser, chat);
    if (hook === 'v2') await followsTheOther(chat, other);
    for (const { tab } of [chat, other]) check(tab.faults.length === 0, 'no fault', tab.faults);
  } catch (e) {
    throw new Error(`useStream ${name}: ${e.message}; faults: ${chat.tab.faults.concat(other?.tab.faults ?? []).join('; ')}`);
  }
  await chat.tab.close();
  await other.tab.close();
  console.log(`useStream ${name}: ${passed} checks passed so far`);
}

const pages = await servePages();
const browser = new Browser(program);
let failure;
try {
  await tryHook(browser, pages, 'v1');
  await tryHook(browser, pages, 'v2', 'sse');
  await tryHook(browser, pages, 'v2', 'websocket');
} catch (e) {
  failure = e;
}
await browser.close();
pages.close();
pages.closeAllConnections();
if (failure) {
  console.error(`failed: ${failure.message}`);
  process.exit(1);
}
