// Drives headless Chromium over its debugging pipe, without a library: tabs that run scripts and note each failure.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const flags = ['--headless=new', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe',
  '--disable-background-timer-throttling', '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding', '--no-first-run', '--disable-background-networking'];

/** @returns  When the process has ended, or after `ms`. */
function hasEnded(process, ms) {
  return Promise.race([new Promise((end) => process.once('exit', end)), new Promise((end) => setTimeout(end, ms))]);
}

export class Browser {
  #process;
  #profile = mkdtempSync(join(tmpdir(), 'weft-browser-'));
  #waiting = new Map();
  #tabs = new Map();
  #number = 0;
  #text = '';

  constructor(program) {
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];  // Chromium has none for root
    this.#process = spawn(program, [...flags, ...sandbox, `--user-data-dir=${this.#profile}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.#process.stdio[4].setEncoding('utf8');
    this.#process.stdio[4].on('data', (piece) => this.#read(piece));
    this.#process.on('exit', (code) => this.#refuseAll(`the browser has ended with ${code}`));
  }

  /** Messages end with a zero byte. */
  #read(piece) {
    const messages = (this.#text + piece).split('\0');
    this.#text = messages.pop();
    for (const text of messages) {
      const message = JSON.parse(text);
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (!waiting) this.#tabs.get(message.sessionId)?.note(message);
      else if (message.error) waiting.refuse(new Error(message.error.message));
      else waiting.accept(message.result);
    }
  }

  #refuseAll(why) {
    for (const { refuse } of this.#waiting.values()) refuse(new Error(why));
    this.#waiting.clear();
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#number;
    this.#process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((accept, refuse) => this.#waiting.set(id, { accept, refuse }));
  }

  async open(url) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const tab = new Tab(this, sessionId, targetId);
    this.#tabs.set(sessionId, tab);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await tab.send(`${domain}.enable`);
    await tab.go(url);
    return tab;
  }

  async close() {
    this.send('Browser.close').catch(() => {});  // it may be gone before it answers
    await hasEnded(this.#process, 3000);
    this.#process.kill('SIGKILL');
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Tab {
  /** What went wrong in the page: answers of 400 and more, errors of the console, scripts that threw. */
  faults = [];
  /** Each request, such as `POST /threads`. */
  requests = [];

  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  note({ method, params }) {
    if (method === 'Network.requestWillBeSent') {
      const { pathname } = new URL(params.request.url);
      this.requests.push(`${params.request.method} ${pathname}`);
    } else if (method === 'Network.responseReceived' && params.response.status >= 400) {
      this.faults.push(`${params.response.status} ${params.response.url}`);
    } else if (method === 'Network.loadingFailed' && !params.canceled) {
      this.faults.push(`${params.errorText} ${params.blockedReason ?? ''}`);
    } else if (method === 'Runtime.consoleAPICalled' && ['error', 'assert'].includes(params.type)) {
      this.faults.push(params.args.map((one) => one.description ?? one.value).join(' '));
    } else if (method === 'Runtime.exceptionThrown') {
      this.faults.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
      this.faults.push(`${params.entry.text} ${params.entry.url ?? ''}`);
    }
  }

  async go(url) {
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
  }

  reload() {
    return this.send('Page.reload');
  }

  close() {
    return this.browser.send('Target.closeTarget', { targetId: this.target });
  }

  /** The value of an expression, awaited if it is a promise. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true. */
  async until(expression, what, ms = 30_000) {
    const end = Date.now() + ms;
    for (;;) {
      // While a page loads its variables are not there yet.
      const found = await this.value(`Boolean(${expression})`).catch(() => false);
      if (found) return found;
      if (Date.now() > end) throw new Error(`${what}: waited in vain for ${expression}; the page shows ${await this.value('document.body?.innerText').catch(String)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
