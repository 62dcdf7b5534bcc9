// The file of a graph beside its drawing: findings of a check at their lines, and what another text would change.

import { get, post, usePoll } from './api.mjs';
import { Copy, Trouble, announce, html, link, plain, short, useState } from './parts.mjs';

function Finding({ of }) {
  return html`<p class=${`finding ${of.severity}`}><strong>${of.severity}</strong> ${of.file && html`<code>${of.file}${
    of.line ? `:${of.line}` : ''}</code> `}<span dir="auto">${plain(of.message)}</span>${of.remedy && html` <span
    class="muted" dir="auto">${plain(of.remedy)}</span>`}</p>`;
}

const linesMost = 3000;

function Lines({ text, findings, file }) {
  const isAtLine = (one) => !one.file && one.line <= linesMost;
  const lines = text.split('\n');
  return html`${findings.filter((one) => !isAtLine(one)).map((one) => html`<${Finding} of=${one} />`)}
    <div class="file-room" tabindex="0" role="group" aria-label=${`Text of ${file}`}><ol class="file-lines">
      ${lines.slice(0, linesMost).map((line, i) => html`<li><code dir="ltr">${plain(line)}</code>${findings
        .filter((one) => isAtLine(one) && one.line === i + 1).map((one) => html`<${Finding} of=${one} />`)}</li>`)}
    </ol></div>
    ${lines.length > linesMost && html`<p class="muted">${lines.length - linesMost} more lines.</p>`}`;
}

/** What becomes of the threads that wait, if the text comes in the place of the file. */
function Report({ of: { changes, threads } }) {
  if (!changes) return html`<p class="note" role="status">The text has mistakes, and so it is no graph.</p>`;
  return html`<div class="note" role="status">
    ${changes.length === 0 ? html`<p>The graph has the same shape.</p>` : html`<ul
      class="changes">${changes.map((text) => html`<li dir="auto">${plain(text)}</li>`)}</ul>`}
    <p>Of the threads that wait${threads.has_more ? ', as far as they were looked at,' : ''} ${threads.go_on} can go on
      with it, ${threads.stuck} cannot.</p>
    <ul class="changes">${threads.examples.map(({ thread, reason }) => html`<li><a
      href=${link('threads', thread)}>${short(thread)}</a> <span dir="auto">${plain(reason)}</span></li>`)}</ul></div>`;
}

export function GraphFile({ name }) {
  const path = `/studio/api/graphs/${encodeURIComponent(name)}`;
  const { value: file, error } = usePoll((signal) => get(`${path}/file`, signal), [name]);
  const [text, setText] = useState(null);
  const [checked, setChecked] = useState(null);
  const [trouble, setTrouble] = useState(null);
  if (!file) return error ? html`<${Trouble} of=${error} />` : html`<p class="muted" role="status">It is read…</p>`;
  const check = (event) => {
    event.preventDefault();
    const sent = event.currentTarget.elements['file-text'].value;
    post(`${path}/check`, { text: sent }).then((found) => {
      setTrouble(null);
      setChecked({ ...found, text: sent });
      announce(`Checked: ${found.findings.length} findings`);
    }, setTrouble);
  };
  const press = (event) => {
    if (event.key === 'Enter' && event.ctrlKey) { event.preventDefault(); event.currentTarget.requestSubmit(); }
  };
  const back = () => { setText(null); setChecked(null); setTrouble(null); };
  return html`<div class="card-head"><h2><code>${file.file}</code></h2>${text === null
      ? html`<button onClick=${() => setText(file.text)}>Try another text</button>`
      : html`<button class="quiet" onClick=${back}>Back to the file</button>`}</div>
    ${text !== null && html`<form class="schema-form" onSubmit=${check} onKeyDown=${press}><div class="field">
      <label for="file-text">Text in the place of the file</label><p class="muted" id="file-note">Nothing is saved here:
        copy it into the file.</p><textarea id="file-text" class="code" rows="14" spellcheck="false" value=${text}
        aria-describedby="file-note" onInput=${(event) => setText(event.currentTarget.value)}></textarea></div>
      <div class="form-actions"><button class="primary" type="submit">Check</button><${Copy} text=${text} /></div>
      </form>`}
    <${Trouble} of=${trouble} />
    ${checked && html`<${Report} of=${checked} />`}
    <${Lines} ...${checked ?? file} file=${file.file} />`;
}
