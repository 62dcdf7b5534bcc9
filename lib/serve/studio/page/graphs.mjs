// The graphs of the server, each with its drawing and a form that begins a run; and the same request for programs.

import { get, post, usePoll } from './api.mjs';
import { Graph } from './graph.mjs';
import { GraphFile } from './graph_file.mjs';
import { SchemaForm } from './schema_form.mjs';
import { Copy, Dialog, Empty, Tabs, Trouble, html, link, query, useState } from './parts.mjs';

export function Graphs() {
  const { value, error, again } = usePoll((signal) => get('/studio/api/graphs', signal), [], 5000);
  return html`<div><header class="page-head"><h1>Graphs</h1><a class="button"
    href="#/assistants">Assistants</a></header>
    <${Trouble} of=${error} again=${again} />
    ${value?.graphs.length === 0 && html`<${Empty}
      title="No graphs">Give <code>weft serve</code> a folder with graph files.<//>`}
    <ul class="graph-cards">${(value?.graphs ?? []).map((graph) => html`<li class="card"><h2><a
      href=${link('graphs', graph.name)}>${graph.name}</a></h2><p class="muted" dir="auto">${graph.description ||
      'It has no description.'}</p></li>`)}</ul></div>`;
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request of a form, as programs write it. A key stands nowhere in it. */
function snippets(graph, input) {
  const server = new URL('..', location.href.split('#')[0]).href.replace(/\/$/, '');
  const body = JSON.stringify({ assistant_id: graph, input }, null, 2);
  const json = JSON.stringify(input, null, 2);
  const python = json.replace(/\btrue\b/g, 'True').replace(/\bfalse\b/g, 'False').replace(/\bnull\b/g, 'None');
  return {
    curl: `curl -s ${server}/runs/wait -H 'content-type: application/json' \\\n    -H "x-api-key: $WEFT_API_KEY" \\\n    -d ${
      quoted(body)}`,
    Python: `from langgraph_sdk import get_client\n\nclient = get_client(url=${JSON.stringify(server)})\nthread = await ` +
      `client.threads.create()\nasync for part in client.runs.stream(\n        thread["thread_id"], ${
        JSON.stringify(graph)}, input=${python}, stream_mode="updates"):\n    print(part.event, part.data)`,
    JavaScript: `import { Client } from '@langchain/langgraph-sdk';\n\nconst client = new Client({ apiUrl: ${
      JSON.stringify(server)} });\nconst thread = await client.threads.create();\nfor await (const part of ` +
      `client.runs.stream(thread.thread_id, ${JSON.stringify(graph)},\n    { input: ${json}, streamMode: 'updates' }))\n` +
      `  console.log(part.event, part.data);`,
    'C++': `weft::http_request request{"POST", weft::url{"${server}/runs/wait"}};\nrequest.body(R"json(${body})json", ` +
      `"application/json");\nweft::http_response answer = co_await client.send(std::move(request));\n` +
      `const std::string said = co_await answer.read_all(1024 * 1024);`,
  };
}

function Snippets({ graph, input, onClose }) {
  const all = snippets(graph, input);
  const [at, setAt] = useState('curl');
  return html`<${Dialog} title="The same for programs" onClose=${onClose}>
    <${Tabs} label="Language" at=${at} onGo=${setAt} tabs=${Object.keys(all).map((name) => [name, name])} />
    <pre class="snippet" tabindex="0" role="group" aria-label=${at}>${all[at]}</pre>
    <div class="form-actions"><${Copy} text=${all[at]} /></div><//>`;
}

export function GraphView({ name, at, go }) {
  const { value: graph, error, again } = usePoll((signal) => get(`/studio/api/graphs/${encodeURIComponent(name)}`,
    signal),
    [name]);
  const [node, setNode] = useState('');
  const [trouble, setTrouble] = useState(null);
  const [shown, setShown] = useState(null);
  if (error) return html`<${Trouble} of=${error} again=${again} />`;
  if (!graph) return html`<p class="muted" role="status">The drawing is made…</p>`;
  const begin = async (input) => {
    try {
      setTrouble(null);
      const thread = await post('/threads', { metadata: { graph_id: name } });
      const run = await post(`/threads/${encodeURIComponent(thread.thread_id)}/runs`, { assistant_id: name, input });
      go(link('runs', run.run_id));
    } catch (failure) { setTrouble(failure); }
  };
  const row = graph.nodes.find((one) => one.id === node);
  const notes = Object.fromEntries(graph.reduced.map((key) => [key, 'What runs write here is put together.']));
  return html`<div><header class="page-head"><div><p class="crumbs"><a
    href="#/graphs">Graphs</a></p><h1>${name}</h1></div>
      <div class="actions"><a class="button"
        href=${'#/runs?q=graph%3A' + encodeURIComponent(name)}>Its runs</a></div></header>
    ${graph.description && html`<p class="muted" dir="auto">${graph.description}</p>`}
    <div class="run-grid"><${Graph} graph=${graph} selected=${node} onSelect=${(id) => setNode(id === node ? ''
      : id)} />
      <div class="run-side">
        ${graph.has_file && html`<${Tabs} label="Beside the drawing" at=${at.tab ?? 'run'}
          onGo=${(tab) => go(link('graphs', name) + query({ tab }), true)}
          tabs=${[['run', 'Begin a run'], ['file', 'File']]} />`}
        ${graph.has_file && at.tab === 'file' ? html`<section class="card" aria-label="File"><${GraphFile} name=${name} /></section>`
          : html`<section class="card" aria-label="Playground"><h2>Begin a run</h2>
          <${Playground} graph=${graph} notes=${notes} onBegin=${begin} onShow=${setShown} />
          <${Trouble} of=${trouble} /></section>`}
        ${row && html`<section class="card" aria-label="Node"><h2>${row.name}</h2><p class="muted"
          dir="auto">${row.text ||
          'It has no description.'}</p></section>`}</div></div>
    ${shown && html`<${Snippets} graph=${name} input=${shown} onClose=${() => setShown(null)} />`}</div>`;
}

function Playground({ graph, notes, onBegin, onShow }) {
  const done = (input, button) => (button === 'copy' ? onShow(input) : onBegin(input));
  return html`<${SchemaForm} schema=${graph.schema} notes=${notes} action="Run" prefix="play" onDone=${done}>
    <button type="submit" name="copy" class="quiet">Copy as code</button><//>`;
}
