// Two runs side by side: their steps by node and visit, and the first one in which they differ.

import { follow, get, usePoll } from './api.mjs';
import { RunModel } from './run_model.mjs';
import { Difference } from './step.mjs';
import { Empty, Id, Status, Trouble, count, html, link, money, span, useEffect, useState } from './parts.mjs';

/** The model of a run that is read to its end, or as far as it is. */
function useWholeRun(id) {
  const [{ model }, setRead] = useState({ model: null });
  const [error, setError] = useState(null);
  useEffect(() => {
    if (!id) return undefined;
    const stop = new AbortController();
    const reading = new RunModel();
    const timer = setInterval(() => setRead({ model: reading }), 500);
    const read = () => follow(`/studio/api/runs/${encodeURIComponent(id)}/stream`, { signal: stop.signal,
      onEvent: (name, event) => { reading.apply(name, event); return name !== 'end'; },
      onLink: (state, refused) => { if (refused) setError(refused); } })
      .then(() => { clearInterval(timer); if (!stop.signal.aborted) setRead({ model: reading }); });
    get(`/studio/api/runs/${encodeURIComponent(id)}`, stop.signal).then((run) => { reading.lists = new Set(run.lists); },
      () => {}).then(read);
    return () => { stop.abort(); clearInterval(timer); };
  }, [id]);
  return { model, error };
}

const wrote = (visit) => JSON.stringify((visit?.writes ?? []).map(({ name, value }) => [name, value]));

/** Steps of two runs, aligned by the path of the node and the number of its visit. */
function align(a, b) {
  const rows = new Map();
  const put = (model, side) => {
    for (const visit of model.visits.values()) {
      const key = `${visit.path}#${visit.number}`;
      if (!rows.has(key)) rows.set(key, { key, path: visit.path, number: visit.number, start: visit.start });
      rows.get(key)[side] = visit;
    }
  };
  put(a, 'left');
  put(b, 'right');
  return [...rows.values()].sort((x, y) => x.start - y.start).map((row) => ({ ...row,
    differs: !row.left || !row.right || row.left.state !== row.right.state || wrote(row.left) !== wrote(row.right) }));
}

function Sums({ label, a, b, of }) {
  return html`<tr><th scope="row">${label}</th><td>${of(a)}</td><td>${of(b)}</td></tr>`;
}

function Steps({ rows, left, right }) {
  const first = rows.find((row) => row.differs);
  const [open, setOpen] = useState(null);
  const at = open ?? first?.key;
  const row = rows.find((one) => one.key === at);
  const time = (visit) => (visit ? span((visit.end ?? visit.start) - visit.start) : '');
  const names = row ? [...new Set([...(row.left?.writes ?? []), ...(row.right?.writes
    ?? [])].map((write) => write.name))] : [];
  const value = (visit, name) => visit?.writes.findLast((write) => write.name === name)?.value;
  return html`${first ? html`<p class="note">The first difference is <strong>${first.path}</strong>${first.number > 1 ?
      `, visit ${first.number}` : ''}.</p>` : html`<p class="note">All steps wrote the same.</p>`}
    <div class="table-room" tabindex="0" role="group" aria-label="Steps of both runs"><table class="rows"><thead><tr>
      <th scope="col">Step</th><th scope="col">First run</th><th scope="col">Second run</th><th
        scope="col">Wrote</th></tr>
      </thead><tbody>${rows.map((one) => html`<tr key=${one.key} class=${one.differs ? 'differs' : ''}>
        <td><button class="node-button" aria-pressed=${one.key === at} onClick=${() => setOpen(one.key)}>${one.path}${
          one.number > 1 ? ` ×${one.number}` : ''}</button></td>
        <td>${one.left ? html`<${Status} of=${one.left.state} small /> ${time(one.left)}`
          : html`<i>not reached</i>`}</td>
        <td>${one.right ? html`<${Status} of=${one.right.state} small /> ${time(one.right)}`
          : html`<i>not reached</i>`}</td>
        <td>${one.differs ? 'differs' : 'the same'}</td></tr>`)}</tbody></table></div>
    ${row && names.length > 0 && html`<section class="card"
      aria-label="What the step wrote"><h2>${row.path}: what it wrote</h2>
      ${names.map((name) => html`<h3><code>${name}</code></h3><${Difference} before=${value(row.left, name)}
        after=${value(row.right, name) ?? null} label=${`Difference of ${name}`} />`)}</section>`}
    <section class="card" aria-label="Values at the end">
      <h2>Values at the end</h2>${[...new Set([...Object.keys(left.values),
      ...Object.keys(right.values)])].map((name) => html`<h3><code>${name}</code></h3><${Difference}
      before=${left.values[name]} after=${right.values[name] ?? null} label=${`Difference of ${name}`} />`)}</section>`;
}

function Choose({ first, go }) {
  const { value, error } = usePoll((signal) => get('/studio/api/runs?limit=50', signal), []);
  const others = (value?.runs ?? []).filter((run) => run.run_id !== first);
  return html`<div><header class="page-head"><h1>Compare <${Id} of=${first} /> with</h1></header><${Trouble}
    of=${error} />
    ${value && others.length === 0 && html`<${Empty}
      title="There is no other run">Fork this one, or begin another.<//>`}
    <ul class="hits">${others.map((run) => html`<li class="card"><button class="node-button" onClick=${() =>
      go(link('compare', first, run.run_id))}>${run.graph} <${Id} of=${run.run_id} /></button> <${Status}
        of=${run.phase}
      small /></li>`)}</ul></div>`;
}

export function Compare({ first, second, go }) {
  const left = useWholeRun(first);
  const right = useWholeRun(second);
  if (!second) return html`<${Choose} first=${first} go=${go} />`;
  if (left.error ?? right.error) return html`<${Trouble} of=${left.error ?? right.error} />`;
  if (!left.model || !right.model) return html`<p class="muted" role="status">Both runs are read…</p>`;
  const [a, b] = [left.model, right.model];
  return html`<div class="compare"><header class="page-head"><h1>Compare</h1></header>
    <div class="table-room" tabindex="0" role="group" aria-label="Sums"><table class="rows"><thead><tr><th
      scope="col"><span
      class="sr">Figure</span></th><th scope="col">First: <a href=${link('runs', first)}><${Id} of=${first} /></a></th>
      <th scope="col">Second: <a href=${link('runs', second)}><${Id} of=${second} /></a></th></tr></thead><tbody>
      <${Sums} label="Status" a=${a} b=${b} of=${(model) => html`<${Status} of=${model.phase} small />`} />
      <${Sums} label="Time" a=${a} b=${b} of=${(model) => span(model.end)} />
      <${Sums} label="Steps" a=${a} b=${b} of=${(model) => count(model.visits.size)} />
      <${Sums} label="Tokens" a=${a} b=${b}
        of=${({ usage }) => `${count(usage.input)} in, ${count(usage.output)} out`} />
      <${Sums} label="Cost" a=${a} b=${b} of=${({ usage }) => (usage.micros ? money(usage.micros) : '–')} />
    </tbody></table></div><${Steps} rows=${align(a, b)} left=${a} right=${b} /></div>`;
}
