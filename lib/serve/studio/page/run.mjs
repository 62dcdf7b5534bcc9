// One run: its graph, when what happened, each step, what models say, and what it asks.

import { download, follow, get, isFile, post, usePoll } from './api.mjs';
import { Graph } from './graph.mjs';
import { RunModel, foldedScale } from './run_model.mjs';
import { Question } from './questions.mjs';
import { Step } from './step.mjs';
import { Ago, Empty, Id, Status, Tabs, Trouble, VirtualList, announce, clip, count, html, link, money, plain, query,
  short, span, textOf, useEffect, useMemo, useRef, useState } from './parts.mjs';

const rests = new Set(['finished', 'failed', 'cancelled', 'dead', 'waiting']);

/** The events of a run as they come, drawn at most once in a frame. What was left is never told again. */
function useRun(id, lists) {
  const [, draw] = useState(0);
  const held = useRef({ id: null });
  if (held.current.id !== id)
    held.current = { id, model: new RunModel(), from: { last: '' }, link: 'open', refused: null };
  useEffect(() => {
    if (!lists) return undefined;  // it is not known yet what joins what is there
    const here = held.current;
    here.model.lists = new Set(lists);
    let stop = new AbortController();
    let frame = 0;
    let wakes = null;
    const show = () => { frame = 0; draw((n) => n + 1); };
    const calm = 2000;  // visits from which on a picture takes longer than a frame
    const redraw = () => {
      frame ||= here.model.visits.size < calm ? requestAnimationFrame(show) : setTimeout(show, 150);
    };
    const look = async (signal) => {
      await follow(`/studio/api/runs/${encodeURIComponent(id)}/stream`, {
        signal, from: here.from,
        onEvent: (name, event) => {
          if (name === 'anew') {  // a killed process told what no log has
            here.model = new RunModel();
            here.model.lists = new Set(lists);
            here.from.last = '';
          } else here.model.apply(name, event);
          if (name === 'refused') here.refused = { title: 'The stream has ended', message: event.message };
          redraw();
          return name !== 'end' && name !== 'refused';
        },
        onLink: (state, refused) => { here.link = state; here.refused = refused ?? null; redraw(); },
      });
      // A run that waits goes on after an answer, which may come from anywhere: what came since is a short answer.
      const mayGoOn = here.model.phase === 'waiting' && !here.refused && !isFile;
      if (mayGoOn && !signal.aborted) wakes = setTimeout(() => look(signal), 700);
    };
    const leave = () => { stop.abort(); clearTimeout(wakes); };
    // A browser has six connections to a server for all its tabs: those out of sight hold none.
    const turn = () => {
      leave();
      const isOver = rests.has(here.model.phase) && here.model.phase !== 'waiting';
      if (document.visibilityState !== 'visible' || isOver) return;
      stop = new AbortController();
      look(stop.signal);
    };
    turn();
    document.addEventListener('visibilitychange', turn);
    return () => {
      document.removeEventListener('visibilitychange', turn);
      leave();
      cancelAnimationFrame(frame);
      clearTimeout(frame);
    };
  }, [id, !!lists]);
  return held.current;
}

function Timeline({ model, path, selected, onSelect }) {
  const steps = model.steps();
  const scale = foldedScale(steps, model.end);
  const percent = (ms) => `${(scale.place(ms) * 100).toFixed(3)}%`;
  const part = (from, to) => ({ left: percent(from), width: `max(3px, ${((scale.place(to) - scale.place(from)) * 100)
    .toFixed(3)}%)` });
  if (steps.length === 0) return html`<${Empty} title="Nothing yet">No node has begun.<//>`;
  const row = (visit) => {
    const end = visit.end ?? (visit.state === 'waiting' ? visit.waits.at(-1).start : model.end);
    return html`<span class=${`lane-name inset-${Math.min(visit.depth, 4)}`}>
        <span class=${`mark s-${visit.state}`} aria-hidden="true">${''}</span>${visit.node}${visit.number > 1 ?
          html`<small> ×${visit.number}</small>` : ''}</span>
      <span class="lane">
        ${scale.folds.map((fold) => html`<i class="fold" style=${{ left: `${fold.at * 100}%` }}></i>`)}
        ${visit.queuedAt < visit.start - 1 && html`<i class="bar queued"
          style=${part(visit.queuedAt, visit.start)}></i>`}
        <i class=${`bar s-${visit.state} ${path.has(visit.key) ? 'critical' : ''}`} style=${part(visit.start, end)}></i>
        ${visit.waits.map((wait) => html`<i class="bar wait" style=${part(wait.start, wait.end ?? model.end)}></i>`)}
        ${visit.tools.map((tool) => html`<i class="bar tool" style=${part(tool.start, tool.end ?? model.end)}></i>`)}
        ${visit.firstToken !== null && html`<i class="tick" style=${{ left: percent(visit.firstToken) }}></i>`}
      </span><span class="lane-time">${span(end - visit.start)}</span>`;
  };
  return html`<div class="timeline">
    <${VirtualList} label="Timeline: visits of nodes in the order in which they began" rows=${steps} row=${row}
      height=${30} most=${480} selected=${selected} onSelect=${(visit) => onSelect(visit.key)} />
    <p class="key"><span><i class="swatch critical"></i>critical path</span><span><i class="swatch"></i>at work</span>
      <span><i class="swatch queued"></i>queued</span><span><i class="swatch wait"></i>waits for a person</span>
      <span><i class="swatch tool"></i>tool</span><span><i class="swatch tick"></i>first token</span>
      ${scale.folds.length > 0 && html`<span><i class="swatch fold"></i>folded: ${
        scale.folds.map((fold) => span(fold.ms)).join(', ')}</span>`}</p></div>`;
}

function Steps({ model, selected, onSelect }) {
  const steps = model.steps();
  if (steps.length === 0) return html`<${Empty} title="No steps yet">Each visit of a node is a step.<//>`;
  const row = (visit, i) => html`<span class="n">${i + 1}</span><span class="grow">${visit.path}${visit.number > 1 ?
      html`<small> ×${visit.number}</small>` : ''}</span><${Status} of=${visit.state} small />
    <span class="wrote">${visit.writes.map((write) => write.name).join(', ')}</span>
    <span class="lane-time">${span((visit.end ?? model.end) - visit.start)}</span>`;
  return html`<${VirtualList} label="Steps" rows=${steps} row=${row} selected=${selected}
    onSelect=${(visit) => onSelect(visit.key)} />`;
}

/** The end of a long text: what is said now, and of what was said a piece. All of it is in the step. */
const tail = (text, isLive, most = isLive ? 6000 : 1200) => plain(text.length > most ? `…${text.slice(-most)}` : text);

function Stream({ model, onSelect }) {
  const speaking = model.steps().filter((visit) => visit.text || visit.reasoning);
  const isLive = !rests.has(model.phase);
  if (speaking.length === 0) return html`<${Empty}
    title="No text yet">Texts of models stand here as they come, one
    box for each branch.<//>`;
  const speaks = (visit) => isLive && visit.state === 'running';
  return html`<div class="streams">${speaking.slice(-60).map((visit) => html`
    <article key=${visit.key} class="stream" aria-label=${`Text of ${visit.path}`}>
      <header><button class="node-button" onClick=${() => onSelect(visit.key)}>${visit.path}${visit.number > 1 ?
        ` ×${visit.number}` : ''}</button><${Status} of=${visit.state} small />
        <span class="muted">${count(visit.pieces)} pieces</span></header>
      ${visit.reasoning && html`<details><summary>Reasoning</summary><p class="said"
        dir="auto">${tail(visit.reasoning, speaks(visit))}</p>
        </details>`}
      <p class="said" dir="auto">${tail(visit.text, speaks(visit))}${speaks(visit) &&
        html`<span class="caret" aria-hidden="true"></span>`}</p></article>`)}</div>`;
}

const eventWords = (event) => [event.source && `from ${event.source}`, event.label,
  event.pieces && `${event.pieces} pieces`,
  event.text && plain(event.text.slice(0, 300))].filter(Boolean).join(' · ');

function Events({ model }) {
  const [filter, setFilter] = useState('');
  const rows = filter ? model.log.filter((event) => `${event.kind} ${event.path} ${event.label} ${event.text}`
    .toLowerCase().includes(filter.toLowerCase())) : model.log;
  const row = (event) => html`<span class="lane-time">${span(event.at)}</span><code class="kind">${event.kind}</code>
    <span class="path">${event.path}</span><span class="grow said-line" dir="auto">${eventWords(event)}</span>`;
  return html`<div><label class="filter">Filter <input type="search" value=${filter}
    placeholder="node_failed, a node, a text"
      onInput=${(event) => setFilter(event.currentTarget.value)} /></label>
    <span class="muted">${count(rows.length)} rows</span>
    <${VirtualList} label="Events" rows=${rows} row=${row} height=${30} /></div>`;
}

function State({ model }) {
  const names = Object.keys(model.values);
  if (names.length === 0) return html`<${Empty} title="No values">The run has not written anything yet.<//>`;
  return html`<dl class="values">${names.map((name) => html`<dt>${name}</dt>
    <dd><pre tabindex="0" role="group" aria-label=${name}
      dir="auto">${clip(textOf(model.values[name]), 3000)}</pre></dd>`)}</dl>`;
}

function Figures({ run, model }) {
  const tokens = model.usage;
  const started = run?.created_at;
  return html`<dl class="figures">
    <div><dt>Began</dt><dd><${Ago} at=${started} /></dd></div>
    <div><dt>Time</dt><dd>${span(model.end)}</dd></div>
    <div><dt>Steps</dt><dd>${count(model.visits.size)}</dd></div>
    <div><dt>Tokens</dt><dd>${tokens.calls ? `${count(tokens.input)} in, ${count(tokens.output)} out` : '–'}</dd></div>
    <div><dt>Cost</dt><dd>${tokens.micros ? money(tokens.micros) : '–'}</dd></div></dl>`;
}

export function RunView({ id, at, go }) {
  const { value: run, error, again } = usePoll((signal) => get(`/studio/api/runs/${encodeURIComponent(id)}`, signal),
    [id],
    2000);
  const { model, link: connection, refused } = useRun(id, run?.lists);
  const graph = usePoll((signal) => (run ? get(`/studio/api/graphs/${encodeURIComponent(run.graph)}`, signal)
    : Promise.resolve(undefined)), [run?.graph]);
  const [trouble, setTrouble] = useState(null);
  const tab = at.tab ?? 'timeline';
  const selected = at.step ?? '';
  const set = (members) => go(link('runs', id) + query({ tab, step: selected, ...members }), true);
  const visits = model.visits.size;
  const path = useMemo(() => model.criticalPath(), [visits < 500 ? visits : Math.floor(visits / 500), model.phase]);
  const step = model.visits.get(selected);
  const phase = run && rests.has(run.phase) && model.phase !== 'waiting' ? run.phase : model.phase;
  useEffect(() => { announce(`Run ${phase}`); again(); }, [phase]);
  const select = (key) => set({ step: key });
  const selectNode = (nodeId) => {
    const last = model.nodes.get(nodeId)?.last;
    set({ step: last && last !== selected ? last : '' });
  };
  const cancel = () => post(`/threads/${encodeURIComponent(run.thread_id)}/runs/${id}/cancel`, {})
    .then(() => { announce('The run is asked to stop'); again(); }, setTrouble);
  const save = () => download(`/studio/api/runs/${id}/file`, `run-${id}.html`).catch(setTrouble);
  if (refused ?? (error && !run)) return html`<${Trouble} of=${refused ?? error} />`;
  const open = phase === 'waiting' && !isFile ? model.open() : [];
  return html`<div class="run">
    <header class="page-head"><div><p class="crumbs">${isFile
        ? `Thread ${run?.thread_id ?? ''}` : html`<a href="#/runs">Runs</a> / ${run && html`<a
        href=${link('threads', run.thread_id)}>thread ${short(run.thread_id)}</a>`}`}</p>
      <h1>${run?.graph ?? 'Run'} <${Id} of=${id} /> <${Status} of=${phase} /></h1></div>
      <div class="actions">
        ${run && !isFile && (!rests.has(phase) || phase === 'waiting') && html`<button class="danger"
          onClick=${cancel}>Cancel</button>`}
        ${run && !isFile && html`<a class="button" href=${link('threads', run.thread_id)}>Time travel</a>
          <a class="button" href=${link('compare', id)}>Compare</a><button
            onClick=${save}>Save</button>`}</div></header>
    ${connection === 'lost' && html`<p class="banner"
      role="status">The connection is lost; it is joined again by itself.</p>`}
    ${model.gaps > 0 && html`<p class="note">The oldest events of this run are gone; what is here begins later.</p>`}
    <${Trouble} of=${trouble} />
    ${(model.message || run?.message) && ['failed', 'dead'].includes(phase) && html`<div class="trouble" role="alert">
      <strong>The run failed</strong><p dir="auto">${plain(model.message || run.message)}</p></div>`}
    <${Figures} run=${run} model=${model} />
    ${open.map((asked) => html`<${Question} key=${asked.address} run=${run} address=${asked.address}
      onDone=${again} />`)}
    <div class="run-grid">
      <${Graph} graph=${graph.value} nodes=${model.nodes} edges=${model.edges} selected=${step?.path}
        onSelect=${selectNode} />
      <div class="run-side">
        <section class="card" aria-label="What happened">
          <${Tabs} label="What happened" at=${tab} onGo=${(name) => set({ tab: name })}
            tabs=${[['timeline', 'Timeline'],
            ['steps', 'Steps'], ['stream', 'Stream'], ['state', 'State'], ['events', 'Events']]} />
          <div class="tab-body">
          ${tab === 'timeline' && html`<${Timeline} ...${{ model, path, selected, onSelect: select }} />`}
          ${tab === 'steps' && html`<${Steps} ...${{ model, selected, onSelect: select }} />`}
          ${tab === 'stream' && html`<${Stream} model=${model} onSelect=${select} />`}
          ${tab === 'state' && html`<${State} model=${model} />`}
          ${tab === 'events' && html`<${Events} model=${model} />`}</div></section>
        ${step && html`<${Step} visit=${step} model=${model} isCritical=${path.has(step.key)}
          onClose=${() => set({ step: '' })} />`}
      </div></div></div>`;
}
