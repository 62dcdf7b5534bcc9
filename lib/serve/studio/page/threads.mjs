// Threads, and the history of one: where it stood, what changed, and other ways on from there.

import { ask, get, post, usePoll } from './api.mjs';
import { SchemaForm } from './schema_form.mjs';
import { Difference } from './step.mjs';
import { Ago, Dialog, Empty, Id, Status, Trouble, announce, clip, html, link, plain, query, short, textOf,
  useEffect, useState } from './parts.mjs';

const statuses = ['idle', 'busy', 'interrupted', 'error'];

export function Threads({ at, go }) {
  const status = at.status ?? '';
  const [limit, setLimit] = useState(50);
  const { value, error, again } = usePoll((signal) => post('/threads/search', { limit, ...(status ? { status } : {}) },
    signal), [status, limit], 3000);
  return html`<div><header class="page-head"><h1>Threads</h1></header>
    <div class="filters"><label>Status <select value=${status} onChange=${(event) => go('#/threads' +
      query({ status: event.currentTarget.value }))}><option value="">any</option>${statuses.map((one) =>
      html`<option value=${one}>${one}</option>`)}</select></label></div>
    <${Trouble} of=${error} again=${again} />
    ${value?.length === 0 && html`<${Empty}
      title="No threads">A thread has the history of one conversation or case; a run
      with a thread makes one.<//>`}
    ${value?.length > 0 && html`<div class="table-room" tabindex="0" role="group" aria-label="Threads"><table
      class="rows">
      <thead><tr><th scope="col">Status</th><th scope="col">Thread</th><th scope="col">Graph</th><th
        scope="col">Changed</th>
        <th scope="col">Values</th></tr></thead><tbody>${value.map((thread) => html`<tr key=${thread.thread_id}>
        <td><${Status} of=${thread.status} small /></td>
        <td><a class="row-link" href=${link('threads', thread.thread_id)}>${short(thread.thread_id)}</a></td>
        <td>${thread.metadata?.graph_id ?? ''}</td><td><${Ago} at=${thread.updated_at} /></td>
        <td class="clip" dir="auto">${thread.values
          ? plain(JSON.stringify(thread.values).slice(0, 160)) : ''}</td></tr>`)}
      </tbody></table></div>`}
    ${value?.length === limit && html`<p class="center"><button onClick=${() => setLimit(limit + 100)}>Show older
      threads</button></p>`}</div>`;
}

/** How deep in the tree of branches a checkpoint stands: one that does not follow the one before it begins a branch. */
function branches(history) {
  const lane = new Map();
  const inOrder = [...history].reverse();
  const ends = [];
  for (const state of inOrder) {
    const parent = state.parent_checkpoint?.checkpoint_id;
    let at = ends.indexOf(parent);
    if (at < 0) { at = ends.length; }
    ends[at] = state.checkpoint_id;
    lane.set(state.checkpoint_id, at);
  }
  return lane;
}

const words = (state) => (state.metadata.source === 'update' ? 'edited by hand'
  : state.metadata.kind?.replace('_', ' ')) ?? '';

function Fork({ thread, state, graph, onClose, go }) {
  const [changes, setChanges] = useState(null);
  const [trouble, setTrouble] = useState(null);
  const reduced = new Set(graph.reduced);
  const notes = Object.fromEntries(graph.reduced.map((name) => [name, 'What you write here joins what is there.']));
  // A key that puts values together shows none: what is written is added.
  const values = Object.fromEntries(Object.entries(state.values).filter(([name]) => !reduced.has(name)));
  const place = `/threads/${encodeURIComponent(thread)}`;
  const fork = async () => {
    try {
      let from = state.checkpoint_id;
      if (Object.keys(changes).length) {
        const made = await post(`${place}/state`, { checkpoint_id: from, values: changes });
        from = made.checkpoint_id ?? made.checkpoint?.checkpoint_id;
      }
      const run = await post(`${place}/runs`, { assistant_id: graph.name, checkpoint_id: from });
      announce('The fork has begun');
      go(link('runs', run.run_id));
    } catch (error) { setTrouble(error); }
  };
  return html`<${Dialog} title=${`Fork from checkpoint ${Number(state.checkpoint_id)}`} onClose=${onClose}>
    <p>The thread goes on from here as a new branch of its history; what came later stays. Next: <strong>${
      state.next.join(', ') || 'nothing, the run was over here'}</strong>.</p>
    ${changes === null ? html`<${SchemaForm} schema=${graph.schema} values=${values} notes=${notes} only prefix="fork"
        action="Look at the change" onDone=${setChanges} />`
      : html`<h3>What will change</h3>${Object.keys(changes).length === 0 ? html`<p
        class="muted">No value: the nodes run again
          with what was there.</p>` : Object.entries(changes).map(([name, value]) => html`<h4><code>${name}</code></h4>
          <${Difference} before=${reduced.has(name) ? undefined : state.values[name]} after=${value}
            isAdded=${reduced.has(name)} label=${`Change of ${name}`} />`)}
        <${Trouble} of=${trouble} />
        <div class="form-actions"><button class="primary" onClick=${fork}>Fork and run</button>
          <button class="quiet" onClick=${() => { setChanges(null); setTrouble(null); }}>Edit again</button>
            </div>`}<//>`;
}

function Values({ state, before }) {
  const names = [...new Set([...Object.keys(before?.values ?? {}), ...Object.keys(state.values)])];
  const isSame = (name) => JSON.stringify(before?.values?.[name]) === JSON.stringify(state.values[name]);
  const changed = names.filter((name) => !isSame(name));
  return html`<div>${before && changed.length > 0
    && html`<h3>Changed since checkpoint ${Number(before.checkpoint_id)}</h3>
      ${changed.map((name) => html`<h4><code>${name}</code></h4><${Difference} before=${before.values[name]}
        after=${state.values[name] ?? null} label=${`Change of ${name}`} />`)}`}
    <h3>Values</h3>${names.length === 0 ? html`<p class="muted">None.</p>` : html`<dl
      class="values">${names.map((name) =>
      html`<dt>${name}</dt><dd><pre tabindex="0" role="group" aria-label=${name}
        dir="auto">${clip(textOf(state.values[name]), 3000)}</pre>
      </dd>`)}</dl>`}</div>`;
}

function History({ thread, history, at, go, graph }) {
  const [isForking, setForking] = useState(false);
  const index = Math.max(0, history.findIndex((state) => state.checkpoint_id === at.checkpoint));
  const state = history[index];
  const before = history.find((one) => one.checkpoint_id === state.parent_checkpoint?.checkpoint_id);
  const source = state.metadata.forked_from;
  const lanes = branches(history);
  const show = (place) => go(link('threads', thread) + query({ checkpoint: history[place].checkpoint_id }), true);
  return html`<div class="history">
    <section class="card" aria-label="Checkpoints"><div class="card-head"><h2>Time travel</h2>
      ${graph && html`<button onClick=${() => setForking(true)}>Fork from here</button>`}</div>
      <label class="scrub"><span class="sr">Checkpoint</span><input type="range" min="0" max=${history.length - 1}
        value=${history.length - 1 - index} aria-valuetext=${`checkpoint ${Number(state.checkpoint_id)}`}
        onInput=${(event) => show(history.length - 1 - Number(event.currentTarget.value))} /></label>
      <ol class="checkpoints">${history.map((one, i) => html`<li key=${one.checkpoint_id}
          class=${`inset-${Math.min(lanes.get(one.checkpoint_id), 4)}`}>
        <button class=${`node-button ${i === index ? 'selected' : ''}`} aria-current=${i === index ? 'true' : undefined}
          onClick=${() => show(i)}><span class="n">${Number(one.checkpoint_id)}</span><span
            class="grow">${one.next.length ?
          `next: ${one.next.join(', ')}` : 'over'}</span><span
            class="muted">${words(one)}</span></button></li>`)}</ol></section>
    <section class="card" aria-label="State at the checkpoint"><div class="card-head"><h2>Checkpoint ${
        Number(state.checkpoint_id)}</h2><span class="muted"><${Ago} at=${state.created_at} />${state.metadata.run_id ?
        html`, <a href=${link('runs', state.metadata.run_id)}>its run</a>` : ''}${source &&
        html`, a copy from <a href=${link('threads', source.thread_id) + query({ checkpoint: source.checkpoint_id })
        }>thread ${short(source.thread_id)}</a>`}</span></div>
      <${Values} state=${state} before=${before} /></section>
    ${isForking && html`<${Fork} ...${{ thread, state, graph, go }} onClose=${() => setForking(false)} />`}</div>`;
}

export function Thread({ id, at, go }) {
  const place = `/threads/${encodeURIComponent(id)}`;
  const [limit, setLimit] = useState(100);
  const thread = usePoll((signal) => get(place, signal), [id], 3000);
  const changed = thread.value?.updated_at;
  const history = usePoll((signal) => get(`${place}/history?limit=${limit}`, signal), [id, changed, limit]);
  const runs = usePoll((signal) => get('/studio/api/runs' + query({ thread: id, limit: 20 }), signal), [id, changed]);
  const name = history.value?.[0]?.metadata.graph_id ?? thread.value?.metadata?.graph_id;
  const graph = usePoll((signal) => (name ? get(`/studio/api/graphs/${encodeURIComponent(name)}`, signal)
    : Promise.resolve(null)), [name]);
  const [isLeaving, setLeaving] = useState(false);
  const [shown, setShown] = useState(null);
  useEffect(() => { if (history.value) setShown(history.value); }, [history.value]);
  const remove = () => ask('DELETE', place).then(() => go('#/threads'));
  if (thread.error && !thread.value) return html`<${Trouble} of=${thread.error} />`;
  return html`<div><header class="page-head"><div><p class="crumbs"><a href="#/threads">Threads</a></p>
      <h1>Thread <${Id} of=${id} /> ${thread.value && html`<${Status} of=${thread.value.status} />`}</h1></div>
      <div class="actions"><button class="danger" onClick=${() => setLeaving(true)}>Delete</button></div></header>
    <ul class="chips" aria-label="Runs of the thread">${(runs.value?.runs ?? []).map((run) => html`<li>
      <a class="chip" href=${link('runs', run.run_id)}><${Status} of=${run.phase} small />${run.graph} <small>${
      short(run.run_id)}</small></a></li>`)}</ul>
    <${Trouble} of=${history.error} />
    ${shown?.length === 0 && html`<${Empty} title="No checkpoints">No run of the thread has begun.<//>`}
    ${shown?.length > 0 && html`<${History} thread=${id} history=${shown} at=${at} go=${go} graph=${graph.value} />`}
    ${shown?.length === limit && html`<p class="center"><button onClick=${() => setLimit(limit + 200)}>Show older
      checkpoints</button></p>`}
    ${isLeaving && html`<${Dialog} title="Delete the thread?"
      onClose=${() => setLeaving(false)}><p>Its runs, its history and
      its values are gone for good.</p><div class="form-actions"><button class="danger"
        onClick=${remove}>Delete it</button>
      </div><//>`}</div>`;
}
