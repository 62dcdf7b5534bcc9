// Plain tables with their actions: items of the store, crons, dead letters, workers with the queue, assistants.

import { ask, get, post, usePoll } from './api.mjs';
import { SchemaForm } from './schema_form.mjs';
import { Ago, Dialog, Empty, Id, Json, Trouble, announce, count, html, link, query, short,
  useState } from './parts.mjs';

/** @param props  `columns`: [title, cell function] pairs; `id`: of a row. */
function Table({ label, columns, rows, id }) {
  return html`<div class="table-room" tabindex="0" role="group" aria-label=${label}><table class="rows"><thead><tr>
    ${columns.map(([title]) => html`<th scope="col">${title || html`<span
      class="sr">Actions</span>`}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${id(row)}>${columns.map(([, cell]) => html`<td>${cell(row)}</td>`)}</tr>`)}
    </tbody></table></div>`;
}

/** Does something, says so, and looks again. */
function useAction(again) {
  const [trouble, setTrouble] = useState(null);
  const act = (said, doing) => doing().then(() => { setTrouble(null); announce(said); again(); }, setTrouble);
  return [trouble, act];
}

export function Crons() {
  const { value, error, again } = usePoll((signal) => post('/runs/crons/search', { limit: 200 }, signal), [], 5000);
  const [trouble, act] = useAction(again);
  const place = (cron) => `/runs/crons/${encodeURIComponent(cron.cron_id)}`;
  return html`<div><header class="page-head"><h1>Crons</h1></header><${Trouble} of=${error ?? trouble} again=${again} />
    ${value?.length === 0 && html`<${Empty}
      title="No crons">A cron begins a run again and again: <code>POST /runs/crons</code>,
      or a timer in a graph file.<//>`}
    ${value?.length > 0 && html`<${Table} label="Crons" rows=${value} id=${(cron) => cron.cron_id} columns=${[
      ['Schedule', (cron) => html`<code>${cron.schedule}</code> <span class="muted">${cron.timezone ?? 'UTC'}</span>`],
      ['Assistant', (cron) => short(cron.assistant_id)],
      ['Next', (cron) => (cron.enabled ? new Date(cron.next_run_date).toLocaleString() : 'paused')],
      ['Missed', (cron) => cron.missed],
      ['Cron', (cron) => html`<${Id} of=${cron.cron_id} />`],
      ['', (cron) => html`<span class="row-actions">
        <button disabled=${!cron.enabled} title=${cron.enabled ? undefined : 'A paused cron begins no run: resume it'}
          onClick=${() => act('The run begins', () => post(`${place(cron)}/run`, {}))}>Run now</button>
        <button onClick=${() => act(cron.enabled ? 'Paused' : 'Goes on', () => ask('PATCH', place(cron),
          { enabled: !cron.enabled }))}>${cron.enabled ? 'Pause' : 'Resume'}</button>
        <button class="danger" onClick=${() => act('Deleted', () => ask('DELETE', place(cron)))}>Delete</button>
          </span>`]]} />`}
    </div>`;
}

export function Dead() {
  const [after, setAfter] = useState('');
  const { value, error, again } = usePoll((signal) => get('/admin/dead' + query({ after }), signal), [after], 5000);
  const [trouble, act] = useAction(again);
  const place = (run) => `/admin/dead/${encodeURIComponent(run.run_id)}`;
  return html`<div><header class="page-head"><h1>Dead letters</h1></header><${Trouble} of=${error ?? trouble}
    again=${again} />
    ${value?.runs.length === 0 && html`<${Empty}
      title="No dead letters">A run that has cost its processes too often stands
      here, with the cause, until it is tried again or removed.<//>`}
    ${value?.runs.length > 0 && html`<${Table} label="Dead runs" rows=${value.runs} id=${(run) => run.run_id}
      columns=${[
      ['Graph', (run) => html`<a href=${link('runs', run.run_id)}>${run.graph}</a>`],
      ['Run', (run) => html`<${Id} of=${run.run_id} />`], ['Attempts', (run) => run.attempts], ['Cause', (run) => run.cause],
      ['Ended', (run) => html`<${Ago} at=${run.ended_at} />`],
      ['', (run) => html`<span class="row-actions">
        <button onClick=${() => act('It goes on', () => post(`${place(run)}/retry`, {}))}>Retry</button>
        <button class="danger" onClick=${() => act('Removed', () => ask('DELETE', place(run)))}>Remove</button>
          </span>`]]} />`}
    ${value?.next && html`<p class="center"><button onClick=${() => setAfter(value.next)}>Older</button></p>`}</div>`;
}

export function Workers() {
  const workers = usePoll((signal) => get('/admin/workers', signal), [], 3000);
  const queue = usePoll((signal) => get('/admin/queue', signal), [], 3000);
  const stuck = queue.value?.unclaimable ?? [];
  return html`<div><header class="page-head"><h1>Workers and queue</h1></header>
    <${Trouble} of=${workers.error ?? queue.error} again=${workers.again} />
    ${stuck.length > 0 && html`<div class="trouble" role="alert"><strong>Runs that no process can take</strong>
      <p>${stuck.map((one) => `${one.graph}: ${one.count}`).join(', ')}. Start a process that has the graph.</p></div>`}
    <h2>Processes</h2>${workers.value?.workers.length === 0 && html`<p class="muted">None has entered the store.</p>`}
    ${workers.value?.workers.length > 0 && html`<${Table} label="Processes" rows=${workers.value.workers}
      id=${(one) => one.worker_id} columns=${[
      ['Process', (one) => one.name || one.worker_id], ['State', (one) => (one.is_alive ? 'alive' : 'silent')],
      ['Runs', (one) => one.runs], ['Takes runs', (one) => (one.claims ? 'yes' : 'no')],
      ['Since', (one) => html`<${Ago} at=${one.since} />`], ['Seen', (one) => html`<${Ago} at=${one.seen} />`],
      ['Graphs', (one) => one.graphs.map((graph) => graph.graph).join(', ') || 'any']]} />`}
    <h2>Queue</h2>${queue.value?.depths.length === 0 ? html`<p class="muted">Nothing is queued or under way.</p>`
      : html`<${Table} label="Queue" rows=${queue.value?.depths ?? []}
        id=${(one) => one.graph + one.phase + one.revision}
        columns=${[['Graph', (one) => one.graph], ['Phase', (one) => one.phase], ['Runs', (one) => count(one.count)],
          ['Oldest', (one) => html`<${Ago} at=${one.oldest} />`]]} />`}</div>`;
}

function Item({ item, onClose, onDone }) {
  const [trouble, act] = useAction(onDone);
  const form = { properties: { namespace: { type: 'string' }, key: { type: 'string' }, value: { type: 'object' } } };
  const save = ({ namespace, key, value }) => act('Kept', () => ask('PUT', '/store/items',
    { namespace: namespace.split('/').filter(Boolean), key, value }));
  const remove = () => act('Deleted', () => ask('DELETE', '/store/items', { namespace: item.namespace,
    key: item.key }));
  return html`<${Dialog} title=${item.key ? 'Item' : 'New item'} onClose=${onClose}><${SchemaForm} schema=${form}
    prefix="item"
    values=${{ ...item, namespace: item.namespace.join('/') }} required=${['namespace', 'key', 'value']}
    notes=${{ namespace: 'Levels, with / between them' }} action="Keep" onDone=${save}>${item.key && html`<button
      type="button"
    class="danger" onClick=${remove}>Delete</button>`}<//><${Trouble} of=${trouble} /><//>`;
}

export function Store({ at, go }) {
  const prefix = (at.prefix ?? '').split('/').filter(Boolean);
  const [limit, setLimit] = useState(50);
  const [open, setOpen] = useState(null);
  const spaces = usePoll((signal) => post('/store/namespaces', { prefix, max_depth: prefix.length + 1 }, signal),
    [at.prefix], 5000);
  const items = usePoll((signal) => post('/store/items/search', { namespace_prefix: prefix, limit }, signal),
    [at.prefix, limit], 5000);
  const close = () => { setOpen(null); items.again(); spaces.again(); };
  const found = items.value?.items ?? [];
  const inner = (spaces.value?.namespaces ?? []).filter((space) => space.length > prefix.length);
  if (items.error?.status === 404) return html`<div><header class="page-head"><h1>Store</h1></header><${Empty}
    title="This server has no store of items">A server in C++ gets one by <code>server_stores</code>.<//></div>`;
  return html`<div><header class="page-head"><h1>Store</h1><div class="actions"><button onClick=${() =>
      setOpen({ namespace: prefix, key: '', value: {} })}>New item</button></div></header>
    <p class="crumbs"><a href="#/store">all</a>${prefix.map((level, i) => html` / <a href=${'#/store' + query({ prefix:
      prefix.slice(0, i + 1).join('/') })}>${level}</a>`)}</p>
    <${Trouble} of=${items.error ?? spaces.error} again=${items.again} />
    <ul class="chips" aria-label="Namespaces">${inner.map((space) => html`<li><a class="chip"
      href=${'#/store' + query({ prefix:
      space.join('/') })}>${space.at(-1)}/</a></li>`)}</ul>
    ${items.value && found.length === 0 && html`<${Empty} title="No items here">Agents keep here what outlives their
      threads.<//>`}
    ${found.length > 0 && html`<${Table} label="Items" rows=${found} id=${(item) => item.namespace.join('/') + item.key}
      columns=${[['Key', (item) => html`<button class="node-button"
        onClick=${() => setOpen(item)}>${item.key}</button>`],
        ['Namespace', (item) => item.namespace.join(' / ')], ['Changed', (item) => html`<${Ago}
          at=${item.updated_at} />`],
        ['Value', (item) => html`<span class="clip"
          dir="auto">${JSON.stringify(item.value).slice(0, 120)}</span>`]]} />`}
    ${found.length === limit && html`<p class="center"><button
      onClick=${() => setLimit(limit + 100)}>More</button></p>`}
    ${open && html`<${Item} item=${open} onClose=${() => setOpen(null)} onDone=${close} />`}</div>`;
}

export function Assistants() {
  const { value, error, again } = usePoll((signal) => post('/assistants/search', { limit: 200 }, signal), [], 5000);
  const [trouble, act] = useAction(again);
  const [open, setOpen] = useState(null);
  return html`<div><header class="page-head"><h1>Assistants</h1></header><${Trouble} of=${error ?? trouble}
    again=${again} />
    ${value?.length === 0 && html`<${Empty} title="No assistants">Each graph has one of its own name.<//>`}
    ${value?.length > 0 && html`<${Table} label="Assistants" rows=${value} id=${(one) => one.assistant_id} columns=${[
      ['Name', (one) => one.name], ['Graph', (one) => html`<a
        href=${link('graphs', one.graph_id)}>${one.graph_id}</a>`],
      ['Assistant', (one) => html`<${Id} of=${one.assistant_id} />`], ['Version', (one) => one.version],
      ['Changed', (one) => html`<${Ago} at=${one.updated_at} />`],
      ['', (one) => html`<span class="row-actions"><button onClick=${() => setOpen(one)}>Show</button><button
        class="danger"
        onClick=${() => act('Deleted', () => ask('DELETE', `/assistants/${encodeURIComponent(one.assistant_id)}`))}>Delete
        </button></span>`]]} />`}
    ${open && html`<${Dialog} title=${open.name} onClose=${() => setOpen(null)}><${Json} value=${open}
      label="Assistant" /><//>`}
    </div>`;
}
