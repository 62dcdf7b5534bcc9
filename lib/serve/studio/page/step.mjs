// One visit of a node: what it got, wrote, said and called.

import { Copy, Json, Status, count, html, plain, span, textOf as show, useState } from './parts.mjs';
import { wholeList } from './run_model.mjs';

/** What a write changed, as lines: taken away, added, and the same around them. */
function lineDifference(before, after) {
  const a = before === undefined ? [] : show(before).split('\n');
  const b = show(after).split('\n');
  if (a.length * b.length > 250_000) return [...a.map((text) => ['-', text]), ...b.map((text) => ['+', text])];
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const lines = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { lines.push([' ', a[i++]]); ++j; }
    else if (j < b.length && (i === a.length || common[i][j + 1] > common[i + 1]?.[j])) lines.push(['+', b[j++]]);
    else lines.push(['-', a[i++]]);
  }
  return lines;
}

export function Difference({ before, after, isAdded, label }) {
  const lines = isAdded ? show(after).split('\n').map((text) => ['+', text]) : lineDifference(before, after);
  const words = { '+': 'added: ', '-': 'removed: ', ' ': '' };
  return html`<pre class="diff" tabindex="0" role="group" aria-label=${label} dir="auto">${lines.slice(0, 400)
    .map(([sign, text]) => html`<span class=${sign === '+' ? 'plus' : sign === '-' ? 'minus' : ''}><span class="sr">${
      words[sign]}</span><i aria-hidden="true">${sign}</i> ${text}${'\n'}</span>`)}</pre>`;
}

function Tool({ tool }) {
  const name = tool.call?.name ?? tool.call?.tool ?? 'a tool';
  return html`<details class="tool"><summary><code>${name}</code> <span class="muted">${tool.end === null ? 'under way'
    : span(tool.end - tool.start)}</span></summary>
    <h4>Call</h4><${Json} value=${tool.call} label=${`Call of ${name}`} />
    ${tool.result !== undefined && html`<h4>Result</h4><${Json} value=${tool.result} label=${`Result of ${name}`} />`}
    </details>`;
}

function Call({ call, end }) {
  const [isOpen, setOpen] = useState(false);
  const { asked, parameters } = call.request;
  const { reply } = call;
  return html`<details class="tool" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary><code>${plain(asked)}</code> <span class="muted">${reply?.error ?? span((call.end ?? end) - call.at)
      }</span></summary>
    ${isOpen && html`<h4>Request</h4><${Json} label="Request to the model"
        value=${{ parameters, tools: wholeList(call, 'tools'), messages: wholeList(call, 'messages') }} />
      <h4>Reply</h4><${Json} value=${reply ?? 'none so far'} label="Reply to the request" />`}</details>`;
}

export function Step({ visit, model, isCritical, onClose }) {
  const end = visit.end ?? model.end;
  return html`<section class="card step" aria-label=${`Step ${visit.path}`}>
    <div class="card-head"><h2>${visit.path}${visit.number > 1 ? html`<small> visit ${visit.number}</small>` : ''}
      <${Status} of=${visit.state} small /></h2>
      <button class="quiet" onClick=${onClose} aria-label="Close the step">✕</button></div>
    <dl class="figures tight">
      <div><dt>Began at</dt><dd>${span(visit.start)}</dd></div>
      <div><dt>Took</dt><dd>${span(end - visit.start)}</dd></div>
      ${visit.start - visit.queuedAt > 1 && html`<div><dt>Queued</dt><dd>${span(visit.start - visit.queuedAt)}</dd>
        </div>`}
      ${visit.firstToken !== null && html`<div><dt>First token</dt><dd>${span(visit.firstToken - visit.start)}</dd>
        </div>`}
      ${visit.waits.length > 0 && html`<div><dt>Waited</dt><dd>${span(visit.waits.reduce((sum, wait) => sum +
        (wait.end ?? model.end) - wait.start, 0))}</dd></div>`}
      ${isCritical && html`<div><dt>Path</dt><dd>critical</dd></div>`}</dl>
    ${visit.error && html`<div class="trouble"><strong>It failed</strong><p dir="auto">${plain(visit.error)}</p></div>`}
    ${visit.attempts.length > 1 && html`<h3>Attempts</h3><ol
      class="attempts">${visit.attempts.map((attempt) => html`<li>
      <span>${span((attempt.end ?? model.end) - attempt.start)}</span> <span
        dir="auto">${plain(attempt.why) || 'succeeded'}</span>
      </li>`)}</ol>`}
    <h3>Wrote</h3>
    ${visit.writes.length === 0 ? html`<p class="muted">Nothing so far.</p>` : visit.writes.map((write) => html`
      <div class="write"><h4><code>${write.name}</code> ${write.isAdded && html`<span class="muted">joined what was
        there</span>`}</h4><${Difference} before=${write.before} after=${write.value} isAdded=${write.isAdded}
        label=${`Change of ${write.name}`} /></div>`)}
    ${visit.tools.length > 0 && html`<h3>Tools</h3>${visit.tools.map((tool) => html`<${Tool} tool=${tool} />`)}`}
    ${visit.calls.length > 0 && html`<h3>Model calls</h3>${visit.calls.map((call) => html`<${Call} call=${call}
      end=${model.end} />`)}`}
    ${visit.reasoning && html`<h3>Reasoning</h3><${Json} value=${visit.reasoning} label="Reasoning" />`}
    ${visit.text && html`<div class="card-head"><h3>Reply of the model</h3><${Copy} text=${visit.text} /></div>
      <${Json} value=${visit.text} label="Reply of the model" />`}
    ${visit.usage.length > 0 && html`<h3>Used</h3><${Json} value=${visit.usage.length === 1 ? visit.usage[0]
      : visit.usage}
      label="What the calls used" />`}
    ${visit.notes.length > 0 && html`<h3>Emitted</h3>${visit.notes.slice(0, 200).map((note) => html`<details
      class="tool">
      <summary><code>${note.label}</code> <span class="muted">at ${span(note.at)}</span></summary>
      <${Json} value=${note.value} label=${note.label} /></details>`)}
      ${visit.notes.length > 200 && html`<p class="muted">${count(visit.notes.length - 200)} more: see Events.</p>`}`}
  </section>`;
}
