// A run, as its events tell it: what nodes did and when, what they wrote, said and asked. No page, no network.

const over = { node_succeeded: 'ok', node_failed: 'failed' };
const textLabels = new Set(['output', 'internal_output', 'message_delta', 'delta']);
const reasoningLabels = new Set(['reasoning', 'thinking']);

const parse = (text) => { try { return JSON.parse(text); } catch { return text; } };

export class RunModel {
  constructor() {
    this.visits = new Map();     // by key, in the order in which they began
    this.nodes = new Map();      // by path: {state, count, last}
    this.edges = new Map();      // by `address|source>node`: how often
    this.questions = new Map();  // by address
    this.log = [];               // rows for people; pieces of one text are one row
    this.lists = new Set();      // keys whose values join what is there
    this.calls = new Map();      // of models, by number, since the run last began or went on
    this.values = {};            // of the run, as far as events say them
    this.usage = { input: 0, output: 0, micros: 0, calls: 0 };
    this.phase = 'running';
    this.message = '';
    this.graph = '';
    this.end = 0;
    this.parts = 0;
    this.gaps = 0;
    this.version = 0;
    this.#open = new Map();
    this.#causes = new Map();
  }

  #open;
  #causes;
  #lasts = new Map();  // the newest visit of a node in a branch
  #zero = null;
  #shift = 0;

  /** Milliseconds since the run began. A run that went on elsewhere, or later, goes on where its part before ended. */
  #time(event) {
    if (event.ms === undefined) return this.end + 0.01;
    if (this.#zero === null) this.#zero = event.ms;
    const at = event.ms - this.#zero + this.#shift;
    if (at < this.end - 1) {  // the clock of another process
      this.#shift += this.end - at;
      return this.end;
    }
    return Math.max(at, this.end);
  }

  apply(name, event) {
    ++this.version;
    if (name === 'gap') { ++this.gaps; return; }
    if (name === 'end') { this.phase = event.phase; this.message = event.message || this.message; return; }
    const at = this.end = this.#time(event);
    const address = event.address ?? '';
    const path = event.node ? (address ? `${address}/${event.node}` : event.node) : address;
    const key = `${address}|${event.address_visits ?? ''}|${event.node ?? ''}|${event.visit ?? 0}`;
    const visit = this.visits.get(key);
    this.#note(event, at, path, key);
    switch (event.kind) {
      case 'run_started': this.#begin(event, address); break;
      case 'node_started': this.#start(event, at, path, key, address); break;
      case 'node_succeeded':
      case 'node_failed': this.#finish(event, at, visit); break;
      case 'node_retried': if (visit) this.#retry(visit, event); break;
      case 'node_skipped': this.#node(path).state = 'skipped'; break;
      case 'edge_taken': this.#take(event, address, at); break;
      case 'state_written': this.#write(event, this.visits.get(this.#lasts.get(`${path}|${event.branch ?? 0}`)),
        address);
        break;
      case 'branches_joined': if (!address && event.values) this.values = event.values; break;
      case 'output': if (visit) this.#say(event, visit, at); break;
      case 'question_asked': this.#ask(event, at, path, visit); break;
      case 'question_answered': this.#answer(event, at); break;
      case 'run_paused': if (!address) this.phase = 'waiting'; break;
      case 'run_finished': if (!address) { this.phase = event.text || 'finished'; } break;
    }
  }

  #begin(event, address) {
    if (address) return;
    ++this.parts;
    this.calls = new Map();
    this.phase = 'running';
    if (event.values) this.values = { ...event.values };
    // What was open when the process was lost begins anew.
    for (const key of this.#open.keys()) {
      const lost = this.visits.get(key);
      if (lost?.state === 'running') { lost.state = 'stopped'; lost.end = this.end; }
    }
    this.#open.clear();
  }

  #node(path) {
    let node = this.nodes.get(path);
    if (!node) this.nodes.set(path, node = { state: 'queued', count: 0, last: null });
    return node;
  }

  #start(event, at, path, key, address) {
    let visit = this.visits.get(key);
    if (!visit) {
      const causes = this.#causes.get(path) ?? [];
      visit = { key, path, address, within: event.address_visits ?? '', node: event.node, number: event.visit ?? 0,
        branch: event.branch ?? 0, start: at,
        end: null, depth: address ? address.split('/').length : 0, attempts: [], text: '', reasoning: '',
          firstToken: null,
        pieces: 0, tools: [], calls: [], notes: [], writes: [], usage: [], error: '', waits: [], state: 'running',
        causes: causes.map((one) => one.key), queuedAt: causes.reduce((most, one) => Math.max(most, one.at), 0) };
      if (causes.length === 0) visit.queuedAt = at;
      this.#causes.delete(path);
      this.visits.set(key, visit);
      ++this.#node(path).count;
    }
    // A node that begins again, after a question or in another process, says again what it said.
    Object.assign(visit, { state: 'running', end: null, text: '', reasoning: '', pieces: 0, firstToken: null, tools: [] });
    for (const wait of visit.waits) wait.end ??= at;
    visit.attempts.push({ number: event.attempt ?? 1, start: at, end: null, why: '' });
    this.#open.set(key, visit);
    this.#lasts.set(`${path}|${visit.branch}`, key);
    Object.assign(this.#node(path), { state: 'running', last: key });
  }

  #finish(event, at, visit) {
    if (!visit) return;
    const isStopped = event.text === 'stopped';
    visit.state = isStopped ? 'stopped' : over[event.kind];
    visit.end = at;
    const attempt = visit.attempts.at(-1);
    if (attempt) Object.assign(attempt, { end: at, why: event.text ?? '' });
    visit.error = event.kind === 'node_failed' && !isStopped ? event.text ?? '' : '';
    this.#node(visit.path).state = visit.state;
    this.#open.delete(visit.key);
  }

  #retry(visit) {
    visit.state = 'retried';
    visit.text = visit.reasoning = '';  // what the attempt said is void
    visit.firstToken = null;
    this.#node(visit.path).state = 'retried';
  }

  #take(event, address, at) {
    const edge = `${address}|${event.source ?? '__start__'}>${event.node}`;
    this.edges.set(edge, (this.edges.get(edge) ?? 0) + 1);
    const source = address ? `${address}/${event.source}` : event.source;
    const to = address ? `${address}/${event.node}` : event.node;
    const causes = this.#causes.get(to) ?? [];
    causes.push({ key: this.nodes.get(source)?.last ?? null, at });
    this.#causes.set(to, causes);
    const node = this.#node(to);
    if (node.state === 'queued') node.state = 'ready';
  }

  #write(event, visit, address) {
    for (const [name, value, isWhole] of event.written ?? []) {
      const before = address ? undefined : this.values[name];
      const isAdded = !isWhole && this.lists.has(name);
      visit?.writes.push({ name, value, before, isWhole: !!isWhole, isAdded });
      if (address || event.is_in_branch) continue;
      this.values = { ...this.values, [name]: isAdded ? [before ?? [], value].flat() : value };
    }
  }

  #say(event, visit, at) {
    const { label, text = '' } = event;
    if (textLabels.has(label) || reasoningLabels.has(label)) {
      visit.firstToken ??= at;
      ++visit.pieces;
      if (reasoningLabels.has(label)) visit.reasoning += text;
      else visit.text += text;
    } else if (label === 'retract') {
      visit.text = '';
    } else if (label === 'usage') {
      const used = parse(text);
      visit.usage.push(used);
      if (typeof used === 'object' && used) this.#spend(used);
    } else if (label === 'tool_start') {
      visit.tools.push({ start: at, end: null, call: parse(text), result: undefined });
    } else if (label === 'tool_end') {
      const result = parse(text);
      const of = visit.tools.find((tool) => tool.end === null && tool.call?.id === result?.id) ??
        visit.tools.find((tool) => tool.end === null);
      if (of) Object.assign(of, { end: at, result });
    } else if (label === 'model_request') {
      const request = parse(text);
      const call = { request, before: this.calls.get(request.of), at, end: null, reply: null };
      this.calls.set(request.number, call);
      visit.calls.push(call);
    } else if (label === 'model_reply') {
      const reply = parse(text);
      const call = this.calls.get(reply.of);
      if (call) Object.assign(call, { reply, end: at });
    } else {
      visit.notes.push({ label, value: parse(text), at });
    }
  }

  #spend(used) {
    const tokens = this.usage;
    tokens.input += used.input_tokens ?? used.prompt_tokens ?? used.input ?? 0;
    tokens.output += used.output_tokens ?? used.completion_tokens ?? used.output ?? 0;
    tokens.micros += used.cost_usd_micros ?? used.cost ?? 0;
    ++tokens.calls;
  }

  #ask(event, at, path, visit) {
    this.questions.set(event.label, { address: event.label, text: event.text, node: path, asked: at, answered: null });
    if (visit) { visit.state = 'waiting'; visit.waits.push({ start: at, end: null }); }
    this.#node(path).state = 'waiting';
  }

  #answer(event, at) {
    const asked = this.questions.get(event.label);
    if (!asked) return;
    asked.answered = at;
    const node = this.#node(asked.node);
    const visit = this.visits.get(node.last);
    if (visit?.state === 'waiting') { visit.state = node.state = 'running'; }
    for (const wait of visit?.waits ?? []) wait.end ??= at;
  }

  #note(event, at, path, key) {
    const last = this.log.at(-1);
    const isText = event.kind === 'output' && textLabels.has(event.label);
    if (isText && last?.of === key && last.kind === 'output') {
      last.pieces = (last.pieces ?? 1) + 1;
      if (last.text.length < 400) last.text += event.text ?? '';
      return;
    }
    this.log.push({ key: this.log.length, of: isText ? key : '', at, kind: event.kind, path, label: event.label ?? '',
      text: event.label?.startsWith('model_re') ? '' : event.text ?? '', source: event.source ?? '',
      attempt: event.attempt });
  }

  /** The open questions of the run. */
  open() { return [...this.questions.values()].filter((asked) => asked.answered === null); }

  steps() { return [...this.visits.values()]; }

  /** The visits that the end of the run waited for: from the last one back to what let each begin. */
  criticalPath() {
    const runs = new Map();  // visits by the run that they are a part of: the run's own, and those within nodes
    for (const visit of this.visits.values()) {
      const run = `${visit.address}|${visit.within}`;
      if (!runs.has(run)) runs.set(run, []);
      runs.get(run).push(visit);
    }
    const later = (last, visit) => (!last || (visit.end ?? this.end) >= (last.end ?? this.end) ? visit : last);
    const path = new Set();
    const walk = (run) => {
      let at = (runs.get(run) ?? []).reduce(later, null);
      while (at && !path.has(at.key)) {
        path.add(at.key);
        walk(`${at.path}|${at.within ? `${at.within}/` : ''}${at.number}`);
        at = at.causes.map((key) => this.visits.get(key)).filter(Boolean).reduce(later, null);
      }
    };
    walk('|');
    return path;
  }
}

/** A list of a request to a model, whole: what is the same as in the request before is taken from there. */
export function wholeList(call, name) {
  const places = (one) => (one.request[name] ?? []).flatMap((item) => (item.same ? Array(item.same).fill(null)
    : [item]));
  const whole = places(call);
  for (let one = call.before; one && whole.includes(null); one = one.before)
    places(one).slice(0, whole.length).forEach((item, i) => { whole[i] ??= item; });
  return whole.map((item) => item ?? 'lost');
}

/** Where moments are on a line from 0 to 1. Gaps in which nothing but waiting goes on are folded to a small part.
 *  @returns  `{place(ms), folds: [{at, ms}]}` */
export function foldedScale(visits, end) {
  const busy = [];
  for (const visit of visits) {
    let from = visit.start;
    for (const wait of visit.waits) { busy.push([from, wait.start]); from = wait.end ?? end; }
    if (visit.depth === 0 || visit.waits.length) busy.push([from, visit.end ?? (visit.state === 'waiting' ? from
      : end)]);
  }
  busy.sort((a, b) => a[0] - b[0]);
  const gaps = [];
  let reached = 0;
  for (const [from, to] of busy) {
    if (from > reached) gaps.push([reached, from]);
    reached = Math.max(reached, to);
  }
  if (end > reached) gaps.push([reached, end]);
  const work = Math.max(1, end - gaps.reduce((sum, [from, to]) => sum + to - from, 0));
  const folded = gaps.filter(([from, to]) => to - from > Math.max(2000, work * 0.5));
  const size = work * 0.06;
  const length = end - folded.reduce((sum, [from, to]) => sum + (to - from) - size, 0) || 1;
  const place = (ms) => {
    let at = ms;
    for (const [from, to] of folded) {
      if (ms >= to) at -= to - from - size;
      else if (ms > from) at -= (ms - from) * (1 - size / (to - from));
    }
    return Math.max(0, Math.min(1, at / length));
  };
  return { place, folds: folded.map(([from, to]) => ({ at: place((from + to) / 2), ms: to - from })) };
}
