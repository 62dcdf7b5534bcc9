// The runs of all threads, newest first, and the search over all there is.

import { get, usePoll } from './api.mjs';
import { Ago, Empty, Id, Status, Trouble, count, html, link, money, query, short, span, useEffect, useRef,
  useState } from './parts.mjs';

const phases = ['queued', 'ready', 'running', 'waiting', 'finished', 'failed', 'cancelled', 'dead'];

/** `status:failed graph:x thread:y tag:z` as what the server is asked for. A word that stands alone is a thread. */
function readFilter(text) {
  const wanted = {};
  const metadata = {};
  for (const word of text.trim().split(/\s+/).filter(Boolean)) {
    const [name, ...rest] = word.split(':');
    const value = rest.join(':');
    if (!rest.length) wanted.thread = word;
    else if (name === 'status') wanted.phase = value;
    else if (['graph', 'thread'].includes(name)) wanted[name] = value;
    else if (name === 'id') wanted.id = value;
    else metadata[name] = /^\d+$/.test(value) ? Number(value) : value;
  }
  if (Object.keys(metadata).length) wanted.metadata = JSON.stringify(metadata);
  return wanted;
}

const took = (run) => span(Date.parse(run.ended_at ?? (['running'].includes(run.phase) ? new Date().toISOString()
  : run.updated_at)) - Date.parse(run.created_at));

/** Why a run ended; that it did says its status. */
const said = (run) => (['finished', 'paused', run.phase].includes(run.message) ? '' : run.message);

function Rows({ runs, picked, onPick }) {
  const body = useRef();
  const move = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    if (!by) return;
    const links = [...body.current.querySelectorAll('a.row-link')];
    const next = links[links.indexOf(document.activeElement) + by];
    if (next) { event.preventDefault(); next.focus(); }
  };
  return html`<div class="table-room" tabindex="0" role="group" aria-label="Runs"><table class="rows">
    <thead><tr><th scope="col"><span class="sr">Compare</span></th><th scope="col">Status</th><th scope="col">Graph</th>
      <th scope="col">Run</th><th scope="col">Thread</th><th scope="col">Began</th><th scope="col"
        class="right">Time</th><th scope="col" class="right">Tokens</th><th scope="col" class="right">Cost</th>
      <th scope="col">What it says</th></tr></thead>
    <tbody ref=${body} onKeyDown=${move}>${runs.map((run) => html`<tr key=${run.run_id}>
      <td><input type="checkbox" aria-label=${`Compare run ${short(run.run_id)}`} checked=${picked.includes(run.run_id)}
        onChange=${() => onPick(run.run_id)} /></td>
      <td><${Status} of=${run.phase} small /></td>
      <td><a class="row-link" href=${link('runs', run.run_id)}>${run.graph}</a></td>
      <td><${Id} of=${run.run_id} /></td>
      <td><a href=${link('threads', run.thread_id)}>${short(run.thread_id)}</a></td>
      <td><${Ago} at=${run.created_at} /></td><td class="right">${took(run)}</td>
      <td class="right">${run.tokens === undefined ? '–' : count(run.tokens)}</td>
      <td class="right">${run.cost_usd_micros ? money(run.cost_usd_micros) : '–'}</td>
      <td class="clip" dir="auto" title=${said(run)}>${said(run)}</td></tr>`)}</tbody></table></div>`;
}

export function Runs({ at, go }) {
  const [text, setText] = useState(at.q ?? '');
  const [pages, setPages] = useState([]);
  const [picked, setPicked] = useState([]);
  const asked = at.q ?? '';
  const { id, ...wanted } = readFilter(asked);
  useEffect(() => { setText(asked); setPages([]); }, [asked]);
  useEffect(() => { if (id) go(link('runs', id)); }, [id]);
  const first = usePoll((signal) => get('/studio/api/runs' + query(wanted), signal), [asked], 2000);
  const next = pages.length ? pages.at(-1).next : first.value?.next;
  const more = () => get('/studio/api/runs' + query({ ...wanted, after: next }))
    .then((page) => setPages([...pages, page]));
  const search = (event) => { event.preventDefault(); go('#/runs' + query({ q: text.trim() })); };
  const status = (phase) => {
    const rest = asked.split(/\s+/).filter((word) => word && !word.startsWith('status:'));
    go('#/runs' + query({ q: [...rest, phase && `status:${phase}`].filter(Boolean).join(' ') }));
  };
  const pick = (run) => setPicked(picked.includes(run) ? picked.filter((one) => one !== run)
    : [...picked, run].slice(-2));
  const known = new Set();
  const runs = [first.value, ...pages].flatMap((page) => page?.runs ?? [])
    .filter((run) => !known.has(run.run_id) && known.add(run.run_id));
  return html`<div><header class="page-head"><h1>Runs</h1>
      <div class="actions">${picked.length === 2 && html`<a class="button primary"
        href=${link('compare', ...picked)}>Compare
        the two</a>`}<a class="button" href="#/graphs">New run</a></div></header>
    <form class="filters" role="search" onSubmit=${search}>
      <label class="grow"><span class="sr">Filter runs</span><input id="filter" type="search" value=${text}
        spellcheck="false"
        placeholder="status:failed graph:research tag:blue"
          onInput=${(event) => setText(event.currentTarget.value)} /></label>
      <label><span class="sr">Status</span><select value=${wanted.phase ?? ''}
        onChange=${(event) => status(event.currentTarget.value)}><option value="">Any status</option>
        ${phases.map((phase) => html`<option value=${phase}>${phase}</option>`)}</select></label>
      <button type="submit">Filter</button></form>
    <${Trouble} of=${first.error} again=${first.again} />
    ${first.value && runs.length === 0 && (asked ? html`<${Empty} title="No run fits the filter">Words of a filter are
        status, graph, thread, id, or a member of the metadata. <a href="#/runs">Show all runs</a>.<//>`
      : html`<${Empty} title="No runs yet">Begin one in <a
        href="#/graphs">Graphs</a>, or with any client of the server.<//>`)}
    ${runs.length > 0 && html`<${Rows} runs=${runs} picked=${picked} onPick=${pick} />`}
    ${next && html`<p class="center"><button onClick=${more}>Show older runs</button></p>`}</div>`;
}

/** The text around what was looked for, with that marked. */
function Found({ text, wanted }) {
  const at = text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return html`<span dir="auto">${text}</span>`;
  return html`<span dir="auto">…${text.slice(0, at)}<mark>${text.slice(at, at + wanted.length)}</mark>${
    text.slice(at + wanted.length)}…</span>`;
}

export function Search({ at, go }) {
  const [text, setText] = useState(at.q ?? '');
  const asked = at.q ?? '';
  const box = useRef();
  useEffect(() => { box.current?.focus(); }, []);
  useEffect(() => setText(asked), [asked]);
  const { value, error } = usePoll((signal) => (asked ? get('/studio/api/search' + query({ q: asked }), signal)
    : Promise.resolve(null)), [asked]);
  const search = (event) => { event.preventDefault(); go('#/search' + query({ q: text.trim() })); };
  return html`<div><header class="page-head"><h1>Search</h1></header>
    <form class="filters" role="search" onSubmit=${search}><label class="grow"><span class="sr">Text</span>
      <input ref=${box} type="search" value=${text} placeholder="An id, a name, a piece of a message"
        onInput=${(event) => setText(event.currentTarget.value)} /></label><button type="submit">Search</button></form>
    <${Trouble} of=${error} />
    ${value && value.hits.length === 0 && html`<${Empty}
      title="Nothing has that">Searched were the newest ${value.searched}
      runs and threads: their ids, metadata, messages and newest values.<//>`}
    <ul class="hits">${(value?.hits ?? []).map((hit) => html`<li class="card">
      ${hit.kind === 'run' ? html`<p><a href=${link('runs', hit.run.run_id)}>Run of ${hit.run.graph}</a> <${Status}
          of=${hit.run.phase} small /> <${Ago} at=${hit.run.created_at} /></p>`
        : html`<p><a href=${link('threads', hit.thread_id)}>Thread ${short(hit.thread_id)}</a> <${Ago}
          at=${hit.changed} /></p>`}
      <p class="muted">${hit.where}: <${Found} text=${hit.text} wanted=${asked} /></p></li>`)}</ul>
    ${value?.has_more && html`<p class="note">There is more than was looked at: a longer text, or the filters of Runs and
      Threads, find what is older.</p>`}</div>`;
}
