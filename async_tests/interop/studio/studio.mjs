// Uses the studio as a person does, and checks what is on the page by its roles and texts.
// usage: [STUDIO_TOKENS=100000] node studio.mjs <chromium> <url of the server> <axe.min.js> <program studio_server>

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from '../browser.mjs';
import { Stopwatch, paced } from './measure.mjs';
import { Person, quoted } from './person.mjs';

const [chromium, url, axePath, program] = process.argv.slice(2);
const axe = readFileSync(axePath, 'utf8');
const browser = new Browser(chromium);
const tokens = Number(process.env.STUDIO_TOKENS ?? 20_000);

async function ask(method, path, body, server = url) {
  const answer = await fetch(server + path, { method, headers: { 'content-type': 'application/json' },
    body: body && JSON.stringify(body) });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
  const text = await answer.text();
  return text && JSON.parse(text);
}

async function begin(graph, input, server = url) {
  const thread = await ask('POST', '/threads', { metadata: { graph_id: graph } }, server);
  return ask('POST', `/threads/${thread.thread_id}/runs`, { assistant_id: graph, input }, server);
}

const waitsFor = (run, phase) => until(async () => (await ask('GET', `/studio/api/runs/${run.run_id}`)).phase === phase,
  `run ${run.run_id} to be ${phase}`);

/** A server of its own on a file, which can be killed and started again. */
class Server {
  constructor(file) { this.file = file; }
  async start() {
    this.process = spawn(program, [String(this.port ?? 0), '1', this.file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(this.process.stdout, 'data');
    this.port = Number(String(line).trim().split(':').at(-1));
    return `http://127.0.0.1:${this.port}`;
  }
  async kill() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGKILL');
    await once(this.process, 'exit');
  }
}

/** All rows of a list, of which only those in sight are on the page, without their times. */
async function readRows(person, run, tab) {
  await person.go(`#/runs/${run.run_id}?tab=${tab}`);
  await person.there(`[data-tab=${tab}][aria-selected=true]`);
  await person.there('.vrow');
  return person.tab.value(`(async () => {
    const list = document.querySelector('.vlist');
    const rows = [];
    for (let top = 0; top < list.scrollHeight; top += 300) {
      list.scrollTop = top;
      await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
      for (const row of list.querySelectorAll('.vrow'))
        rows[row.ariaPosInSet - 1] = [...row.children].filter((one) => !one.matches('.lane-time'))
          .map((one) => one.innerText).join(' ').trim();
    }
    return rows; })()`);
}

async function until(holds, what) {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((next) => setTimeout(next, 20)))
    if (await holds()) return;
  throw new Error(`waited in vain for ${what}`);
}

/** @returns  Megabytes, of which there are not many. */
async function heapOf(person) {
  await person.tab.send('HeapProfiler.collectGarbage');
  const { usedSize } = await person.tab.send('Runtime.getHeapUsage');
  assert.ok(usedSize < 100 << 20, `${usedSize} bytes of heap`);
  return (usedSize / (1 << 20)).toFixed(1);
}

/** A way to the server that can be cut, as by a restart or a proxy. */
class Line {
  #sockets = new Set();
  constructor(to) { this.to = to; }
  open() {
    this.server = createServer((socket) => {
      const out = connect(Number(this.to.port), this.to.hostname);
      for (const [one, other] of [[socket, out], [out, socket]]) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => { this.#sockets.delete(one); other.destroy(); });
      }
    });
    return new Promise((listens) => this.server.listen(this.port ?? 0, '127.0.0.1', () => {
      this.port = this.server.address().port;
      listens(`http://127.0.0.1:${this.port}`);
    }));
  }
  cut() {
    const closed = new Promise((end) => this.server.close(end));
    for (const socket of this.#sockets) socket.destroy();
    return closed;
  }
}

async function audit(tab, view, rules) {
  if (!await tab.value('typeof axe === "object"')) await tab.value(axe + ';0');
  const options = rules ? { resultTypes: ['violations'], runOnly: { type: 'rule', values: rules } }
    : { resultTypes: ['violations'], runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa',
      'wcag22aa', 'best-practice'] } };
  const found = await tab.value(`axe.run(document, ${quoted(options)}).then((all) => all.violations.map((one) => one.id + ': ' +
    one.nodes.map((node) => node.html.slice(0, 160) + ' ' + node.failureSummary.slice(0, 200)).slice(0, 3).join(' | ')))`);
  assert.deepEqual(found, [], `axe on ${view}`);
}

const flows = {
  /** g g, the first graph, its form, Ctrl+Enter: a run that branches is followed while it goes on. */
  async 'a run is begun and followed by keyboard'(person) {
    await person.see('No runs yet');
    await person.keys('gg');
    await person.choose('a[href="#/graphs/research"]');
    await person.fill('#play-topic', 'umbrellas');
    await person.fill('#play-gate', 'first');
    await person.press('Enter', 2);
    await person.tab.until(`location.hash.startsWith('#/runs/')`, 'the run');
    await person.there('.g-node.s-running, .node-list .s-running');
    await begin('gatekeeper', { gate: 'first' });
    await person.see('Publish the report on umbrellas?');
    assert.equal(await person.count('.vrow'), 8);
    const drawn = await person.count('svg.graph [data-node]');
    assert.ok(drawn === 0 || drawn === 7, `${drawn} nodes are drawn`);
    await person.tabTo('[role=tab][aria-selected=true][data-tab=timeline]');
    await person.press('ArrowRight');
    await person.there('[role=tab][data-tab=steps][aria-selected=true]');
    await person.tabTo('[role=listbox]');
    await person.press('ArrowDown');
    await person.press('ArrowDown');
    await person.see('web found three pages');
    assert.match(await person.hash(), /tab=steps&step=/);
    return { run: (await person.hash()).match(/runs\/([^?]+)/)[1] };
  },

  async 'a question is answered in the inbox by keyboard'(person, { run }) {
    await person.keys('gi');
    await person.see('Publish the report on umbrellas?');
    await person.focused('.choices button');
    await person.press('Enter');
    await person.see('No run waits for you');
    await person.focused('main');
    await waitsFor({ run_id: run }, 'finished');
    await person.go(`#/runs/${run}?tab=state`);
    await person.see('published');
  },

  async 'a form of several fields is checked and sent'(person) {
    const booking = await begin('booking', { topic: 'Lisbon' });
    await waitsFor(booking, 'waiting');
    await person.go(`#/runs/${booking.run_id}`);
    await person.see('Who travels, and where to?');
    await person.fill('textarea[name=name]', 'Ada');
    await person.press('Enter', 2);
    await person.see('nights: it is needed');
    await person.fill('input[name=nights]', '3');
    await person.press('Enter', 2);
    await person.see('with a view');
    await person.choose('.choices button', 'large');
    await waitsFor(booking, 'finished');
    await person.go(`#/runs/${booking.run_id}?tab=state`);
    await person.see('"nights":3');
  },

  async 'a thread is taken back, edited and forked, and both runs are compared'(person, { run }) {
    const before = await ask('GET', `/studio/api/runs/${run}`);
    await person.keys('gr');
    await person.choose(`a[href="#/runs/${run}"]`);
    await person.choose('a.button', 'Time travel');
    await person.tab.until(`location.hash === '#/threads/${before.thread_id}'`, 'the thread');
    await person.tabTo('input[type=range]');
    for (let i = 0; i < 5; ++i) await person.press('ArrowLeft');
    await person.tab.until(`/checkpoint=0+[1-4]$/.test(location.hash)`, 'an older checkpoint');
    await person.choose('main button', 'Fork from here', true);
    await person.there('dialog[open]');
    await person.press('Escape');
    await person.tab.until(`!document.querySelector('dialog')`, 'the closed dialog');
    await person.focused('main button', 'Fork from here');
    await person.press('Enter');
    await person.tabTo('dialog #fork-topic');
    await person.writeOver('raincoats');
    await person.press('Enter', 2);
    await person.tab.until(`document.querySelector('dialog .plus')?.innerText.includes('raincoats')`, 'the difference');
    assert.match(await person.tab.value(`document.querySelector('dialog .minus').innerText`), /umbrellas/);
    await person.focused('dialog');
    await person.choose('dialog button.primary', 'Fork and run');
    await person.see('Publish the report on raincoats?');
    const fork = (await person.hash()).match(/runs\/([^?]+)/)[1];
    await person.keys('gr');
    for (const one of [fork, run]) {
      await person.tabTo(`tr:has(a[href="#/runs/${one}"]) input`);
      await person.press(' ');
    }
    await person.choose('main a.button', 'Compare the two');
    await person.see('The first difference is');
    await person.there('.diff .plus');
    assert.ok(await person.count('tr.differs') > 0);
    return { fork };
  },

  async 'a run that fails says where and why, with each attempt'(person) {
    const failing = await begin('failing', { topic: 'x' });
    await waitsFor(failing, 'failed');
    await person.go(`#/runs/${failing.run_id}`);
    await person.see('The run failed');
    await person.there('.vrow');
    await person.tabTo('[role=listbox]');
    await person.press('ArrowDown');
    await person.see('Attempts');
    assert.equal(await person.count('.attempts li'), 2);
  },

  async 'what models and tools write stays text'(person) {
    const run = await begin('hostile', { topic: 'x', pace_ms: 1 });
    await waitsFor(run, 'finished');
    for (const tab of ['timeline', 'steps', 'stream', 'state', 'events']) {
      await person.go(`#/runs/${run.run_id}?tab=${tab}`);
      await person.there(`[data-tab=${tab}][aria-selected=true]`);
    }
    await person.see('img src=x');
    await person.go(`#/runs/${run.run_id}?tab=state`);
    await person.see('\\u202e');
    await person.see('\\u001b[31m');
    await person.see('9007199254740993');
    await person.go('#/graphs/hostile');
    await person.see('onerror');
    await person.go('#/search?q=onerror');
    await person.there('mark');
    assert.equal(await person.count('main img, main script'), 0);
    assert.doesNotMatch(await person.tab.value('document.title'), /owned/);
  },

  async 'a run is saved as a file that shows it without a server'(person) {
    const run = await begin('hostile', { topic: 'saved', pace_ms: 1 });
    await waitsFor(run, 'finished');
    const folder = mkdtempSync(join(tmpdir(), 'weft-saved-'));
    try {
      const file = await fetch(`${url}/studio/api/runs/${run.run_id}/file`);
      writeFileSync(join(folder, 'run.html'), Buffer.from(await file.arrayBuffer()));
      const tab = await browser.open(pathToFileURL(join(folder, 'run.html')).href);
      const reader = new Person(tab);
      await reader.there('.vrow');
      await tab.value(`document.querySelector('.vrow').click()`);
      await reader.see('Reply of the model');
      await reader.see('onerror');
      // A request is put together from those before it.
      await tab.value(`[...document.querySelectorAll('.step summary code')].filter((one) => one.textContent === 'm')
        .at(1).closest('details').open = true`);
      await reader.there('[aria-label="Request to the model"]');
      const asked = await tab.value(`document.querySelector('[aria-label="Request to the model"]').textContent`);
      assert.deepEqual(JSON.parse(asked).messages.map((one) => one.content), ['<i>Brief</i>', '?']);
      await reader.see('"No."');
      assert.equal(await reader.count('main img, main script'), 0);
      assert.deepEqual(tab.faults, []);
      assert.deepEqual(tab.requests.filter((one) => !one.endsWith('run.html') && !one.includes('text/javascript')), []);
      await tab.close();
    } finally { rmSync(folder, { recursive: true }); }
  },

  async 'events of a run that was left are never told'(person) {
    const left = await begin('research', { topic: 'slow-left-one', pace_ms: 60 });
    const next = await begin('research', { topic: 'fast', pace_ms: 1 });
    await person.go(`#/runs/${left.run_id}?tab=stream`);
    await person.see('What web says about slow-left-one');
    await person.go(`#/runs/${next.run_id}?tab=stream`);
    await person.see('Publish the report on fast?');
    for (let i = 0; i < 10; ++i)
      assert.ok(!await person.tab.value(`document.querySelector('main').innerText.includes('slow-left-one')`));
    await person.go(`#/runs/${left.run_id}`);
    await person.choose('main button', 'Cancel');
    await waitsFor(left, 'cancelled');
    await person.see('cancelled');
    await person.focused('main');  // as there is no button any more
  },

  async 'a lost connection is joined again behind the last event'(person) {
    const line = new Line(new URL(url));
    const run = await begin('research', { topic: 'lines', pace_ms: 50 });
    const tab = await browser.open(`${await line.open()}/studio/#/runs/${run.run_id}?tab=stream`);
    const there = new Person(tab);
    await there.see('What web says');
    await line.cut();
    await there.see('The connection is lost');
    await waitsFor(run, 'waiting');
    await line.open();
    await there.see('Publish the report on lines?');
    await there.see('What papers says about lines: it rains in autumn, and umbrellas sell.');
    await there.go(`#/runs/${run.run_id}?tab=steps`);
    await there.there('.vrow');
    assert.equal(await there.count('.vrow'), 8);
    await line.cut();
    await tab.close();
  },

  async 'a killed server goes on under the page, which shows what the log has, each event once'() {
    const folder = mkdtempSync(join(tmpdir(), 'weft-studio-'));
    const server = new Server(join(folder, 'runs.db'));
    try {
      const there = await server.start();
      const run = await begin('research', { topic: 'restarts', pace_ms: 1, gate: 'restart' }, there);
      const tab = await browser.open(`${there}/studio/#/runs/${run.run_id}?tab=events`);
      const person = new Person(tab);
      await person.see('search');
      await person.there('.g-node.s-running, .node-list .s-running');
      await server.kill();
      await person.see('The connection is lost');
      await server.start();
      await tab.until(`!document.querySelector('.banner')`, 'the connection', 30_000);
      await begin('gatekeeper', { gate: 'restart' }, there);
      await person.see('Publish the report on restarts?');
      const shown = await readRows(person, run, 'events');  // a tab out of sight draws nothing
      const steps = await readRows(person, run, 'steps');
      const fresh = await browser.open(`${there}/studio/#/runs/${run.run_id}`);
      const other = new Person(fresh);
      await other.see('Publish the report on restarts?');
      const kept = await readRows(other, run, 'events');
      // The store has events up to the last checkpoint: what came behind it, and was on the page, is gone there too.
      assert.ok(kept.lastIndexOf('run_started') > 0, 'the run went on');
      assert.deepEqual(shown, kept);
      assert.equal(steps.length, 8);
      assert.deepEqual(steps, await readRows(other, run, 'steps'));
      await Promise.all([tab.close(), fresh.close()]);
    } finally {
      await server.kill();
      rmSync(folder, { recursive: true });
    }
  },

  async 'many tokens are shown, and the page stays small'(person) {
    // More than a server keeps of a run could lose their beginning before a page on a busy machine is drawn.
    const count = Math.min(tokens, 9_000);
    const run = await begin('crowd', { count });
    await person.go(`#/runs/${run.run_id}?tab=stream`);
    await waitsFor(run, 'finished');
    await person.see(`word${count - 1}`);
    await person.go(`#/runs/${run.run_id}?tab=events`);
    await person.see('pieces');
    const nodes = await person.tab.value(`document.querySelectorAll('*').length`);
    assert.ok(nodes < 2000, `${nodes} elements`);
    console.log(`${count} tokens: ${nodes} elements, ${await heapOf(person)} MB of heap`);
  },

  async 'a run of many steps answers keys and clicks, at work and at rest'(person) {
    const pieces = 53;
    const eventsOfVisit = pieces + 13;
    const often = tokens / 5000;
    const live = await begin('mill', { count: 1_000_000, pieces, pace_ms: 8 });
    await person.go(`#/runs/${live.run_id}`);
    await person.there('.vrow');
    const [frames, seen] = await paced(person, tokens / 20);
    const atWork = new Stopwatch(person);
    await person.tabTo('[role=tab][aria-selected=true]');
    await atWork.press(...Array(often).fill('ArrowRight'));
    await ask('POST', `/threads/${live.thread_id}/runs/${live.run_id}/cancel`, {});
    await waitsFor(live, 'cancelled');

    const visits = Math.round(tokens * 0.0015);
    const run = await begin('mill', { count: visits, pieces, pace_ms: 0 });  // as many events as a server keeps
    await waitsFor(run, 'finished');
    const atRest = new Stopwatch(person);
    await person.go(`#/runs/${run.run_id}`);
    await person.tab.until(`document.querySelector('.vrow')?.ariaSetSize === '${visits}'`, 'all visits');
    await person.tabTo('[role=tab][aria-selected=true]');
    await atRest.press(...Array(often).fill('ArrowRight'));
    await person.go(`#/runs/${run.run_id}?tab=steps`);
    await person.there('[data-tab=steps][aria-selected=true]');
    await person.tabTo('[role=listbox]');
    await atRest.press(...Array(often).fill('ArrowDown'), 'End', ...Array(often).fill('ArrowUp'));
    await person.there('.step');
    for (const tab of ['stream', 'state', 'events', 'timeline']) await atRest.click(`[data-tab=${tab}]`);
    await atRest.click('.vrow');
    await atRest.click('[data-node], [data-list-node]');
    await person.go(`#/runs/${run.run_id}?tab=events`);
    await person.tabTo('input[type=search]');
    await atRest.press(...'node_started');
    await person.tab.until(`document.querySelector('.vrow')?.ariaSetSize === '${visits}'`, 'the rows of the filter');
    console.log(`${(seen * eventsOfVisit).toFixed(0)} events/s: ${frames.toFixed(0)} frames/s, ${atWork}; ${
      visits * eventsOfVisit} events, ${visits * pieces * 13} tokens: ${atRest}, ${await heapOf(person)} MB of heap`);
  },

  async 'a graph that no layout is quick with is a list'(person) {
    await person.go('#/graphs/maze');
    await person.see('too much time, or memory');
    assert.equal(await person.count('svg.graph'), 0);
    assert.ok(await person.count('.node-list li') >= 200);
  },

  async 'an item of the store is made, changed and deleted by keyboard'(person) {
    await person.keys('gs');
    await person.choose('main button', 'New item');
    await person.there('dialog[open]');
    await person.press('Escape');
    await person.press('Enter');  // at once: it reaches the button, which has the focus again
    await person.there('dialog[open]');
    await person.fill('#item-namespace', 'people/ada');
    await person.fill('#item-key', 'city');
    await person.tabTo('#item-value');
    await person.writeOver('{"name": "London"}');
    await person.press('Enter', 2);
    await person.focused('main button', 'New item');
    await person.choose('td button', 'city');
    await person.tabTo('dialog #item-value');
    await person.writeOver('{"name": "Turin"}');
    await person.press('Enter', 2);
    await person.see('Turin');
    await person.focused('td button', 'city');
    await person.press('Enter');
    await person.choose('dialog button.danger', 'Delete');
    await person.see('No items here');
    await person.focused('main');
    assert.equal(await person.count('dialog'), 0);
  },

  async 'crons are paused, run and deleted by keyboard, and the lists of the fleet are there'(person) {
    const kept = { assistant_id: 'failing', on_run_completed: 'keep' };
    for (const schedule of ['0 0 1 1 *', '0 0 2 2 *']) await ask('POST', '/runs/crons', { ...kept, schedule });
    await person.keys('gc');
    const runs = async () => (await ask('GET', '/studio/api/runs?graph=failing')).runs.length;
    const before = await runs();
    await person.choose('td button', 'Run now');
    await until(async () => await runs() === before + 1, 'the run of the cron');
    await person.choose('td button', 'Pause');
    await person.see('paused');
    await person.focused('td button', 'Resume');
    await person.there('td button:disabled');
    for (const left of [1, 0]) {
      await person.choose('td button.danger', 'Delete');
      await person.tab.until(`document.querySelectorAll('tbody tr').length === ${left}`, `${left} crons`);
      await person.focused(left ? 'td button' : 'main');
    }
    await person.keys('gw');
    await person.see('alive');
    await person.keys('gd');
    await person.see('No dead letters');
  },

  async 'the same request is there for programs, by keyboard'(person) {
    await person.keys('gg');
    await person.choose('a[href="#/graphs/failing"]');
    await person.fill('#play-topic', 'rain');
    await person.choose('main button', 'Copy as');
    await person.tabTo('dialog [role=tab]');
    for (const [name, piece] of [['curl', 'runs/wait'], ['Python', 'langgraph_sdk'], ['JavaScript', 'new Client'],
      ['C++', 'weft::http_request']]) {
      await person.focused(`dialog [data-tab="${name}"]`);
      await person.tab.until(`document.querySelector('dialog pre').innerText.includes(${quoted(piece)})`, name);
      await person.press('ArrowRight');
    }
    await person.choose('dialog button', '✕', true);
    await person.focused('main button', 'Copy as');
    assert.equal(await person.count('dialog'), 0);
    await person.choose('main button.primary', 'Run', true);
    await person.see('The run failed');
  },

  async 'a text in the place of a graph file is checked, by keyboard'(person) {
    const waiting = await begin('asking', {});
    await waitsFor(waiting, 'waiting');
    await person.keys('gg');
    await person.choose('a[href="#/graphs/asking"]');
    await person.tabTo('[data-tab=run]');
    await person.press('ArrowRight');
    await person.see('asking.json');
    assert.equal(await person.count('.file-lines li'), 6);
    await person.choose('main button', 'Try another text');
    await person.tabTo('#file-text');
    const file = await person.tab.value(`document.querySelector('#file-text').value`);
    await person.writeOver(file.replace('"function"', '"functoin"'));
    await person.press('Enter', 2);
    await person.see('no graph');
    assert.match(await person.tab.value(`document.querySelector('.file-lines li:nth-child(4) .finding').innerText`),
      /error.*functoin/);
    await person.writeOver(file.replaceAll('"ask"', '"question"'));
    await person.press('Enter', 2);
    await person.see('0 can go on with it, 1 cannot');
    await person.see(`node 'ask'`);
    await person.choose('main button', 'Back to the file', true);
    await person.tab.until(`!document.querySelector('#file-text')`, 'the file again');
    await ask('POST', `/threads/${waiting.thread_id}/runs/${waiting.run_id}/cancel`, {});
  },

  async 'a key is asked for where the server wants one'(person) {
    await person.tab.value(`(() => { const real = window.fetch; window.fetch = (path, how) => how?.headers?.['x-api-key'] === 'k1'
      ? ((window.fetch = real), real(path, how)) : Promise.resolve(new Response('{"detail":"who are you?"}',
        { status: 401 })); })()`);
    await person.go('#/threads');
    await person.there('#api-key');
    await person.fill('#api-key', 'k1');
    await person.press('Enter');
    await person.there('table.rows');
    assert.equal(await person.tab.value(`sessionStorage.getItem('weft.key')`), 'k1');
    assert.ok(!await person.tab.value('Object.values(localStorage).includes("k1") || location.href.includes("k1")'));
    await person.tab.value(`sessionStorage.removeItem('weft.key')`);
  },
};

/** Ten tabs on one run: those out of sight hold no connection, so that all get what they ask for. */
async function openMany(run) {
  const tabs = [];
  for (let i = 0; i < 10; ++i) tabs.push(await browser.open(`${url}/studio/#/runs/${run}`));
  for (const tab of tabs) {
    await browser.send('Target.activateTarget', { targetId: tab.target });
    await tab.until(`document.querySelector('main')?.innerText.includes('Publish the report on')`,
      'the run in a further tab');
  }
  for (const tab of tabs) assert.deepEqual(tab.faults, []);
  await Promise.all(tabs.map((tab) => tab.close()));
}

async function auditAll(person, known) {
  const thread = (await ask('GET', `/studio/api/runs/${known.run}`)).thread_id;
  const views = ['#/runs', `#/runs/${known.fork}`, `#/runs/${known.run}?tab=stream`, `#/runs/${known.run}?tab=events`,
    '#/inbox',
    '#/threads', `#/threads/${thread}`, '#/graphs', '#/graphs/research', '#/graphs/asking?tab=file', '#/graphs/maze',
      `#/compare/${known.run}/${known.fork}`,
    '#/store', '#/crons', '#/workers', '#/dead', '#/assistants', '#/search?q=rain'];
  const show = async (view) => {
    await person.go(view);
    await person.there('main h1');
    await person.tab.until(`!document.querySelector('main [role=status].muted')`, `all of ${view}`);
  };
  const resize = (width) => person.tab.send('Emulation.setDeviceMetricsOverride', { width, height: 900,
    deviceScaleFactor: 1, mobile: false });
  for (const scheme of ['light', 'dark']) {
    await person.tab.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' }] });
    for (const view of views) {
      await show(view);
      // What the theme changes are colours.
      await audit(person.tab, `${view}, ${scheme}`, scheme === 'dark' ? ['color-contrast'] : undefined);
    }
  }
  // As on a telephone, or at a zoom of 400 %: nothing but tables and pictures is wider than the page (WCAG 1.4.10).
  await resize(320);
  for (const view of views) {
    await show(view);
    const { scrollWidth, clientWidth } = await person.tab.value(`(({ scrollWidth, clientWidth }) =>
      ({ scrollWidth, clientWidth }))(document.querySelector('main'))`);
    assert.ok(scrollWidth <= clientWidth, `${view} is ${scrollWidth} wide, and there is room for ${clientWidth}`);
  }
  await resize(1440);
}

try {
  const tab = await browser.open(`${url}/studio/`);
  await tab.send('Emulation.setDeviceMetricsOverride', { width: 1440, height: 900, deviceScaleFactor: 1,
    mobile: false });
  await tab.value(`addEventListener('securitypolicyviolation', (event) => console.error('CSP ' + event.violatedDirective))`);
  const person = new Person(tab);
  const known = {};
  for (const [name, flow] of Object.entries(flows)) {
    const begun = Date.now();
    try {
      Object.assign(known, await flow(person, known));
    } catch (error) {
      error.message = `${name}: ${error.message}`;
      throw error;
    }
    console.log(`${name}: ${Date.now() - begun} ms`);
  }
  const begun = Date.now();
  await auditAll(person, known);
  console.log(`axe: ${Date.now() - begun} ms`);
  assert.deepEqual(tab.faults.filter((fault) => !fault.startsWith('401 ')), []);
  await openMany(known.fork);
} finally {
  await browser.close();
}
