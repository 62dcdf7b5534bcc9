// A graph as a picture, where Graphviz has laid it out, and as a list, which says the same in words.

import { Empty, Status, Tabs, clip, html, markOf, useMemo, useState } from './parts.mjs';

const point = 72;

/** What the layout says, in the coordinates of the page: y grows downwards. */
function readLayout(graph) {
  const { layout } = graph;
  const [, , width, height] = layout.bb.split(',').map(Number);
  const flip = (text) => { const [x, y] = text.split(',').map(Number); return [x, height - y]; };
  const nodes = [];
  const frames = [];
  for (const each of layout.objects ?? []) {
    if (each.name.startsWith('cluster_')) {
      const [x0, y0, x1, y1] = each.bb.split(',').map(Number);
      frames.push({ place: Number(each.name.slice(8)), x: x0, y: height - y1, width: x1 - x0, height: y1 - y0 });
    } else {
      const [x, y] = flip(each.pos);
      const [w, h] = [Number(each.width) * point, Number(each.height) * point];
      nodes.push({ place: Number(each.name.slice(1)), x: x - w / 2, y: y - h / 2, width: w, height: h });
    }
  }
  const edges = (layout.edges ?? []).map((edge) => {
    let tip = null;
    const points = edge.pos.split(' ').flatMap((word) => {
      if (word.startsWith('e,')) { tip = flip(word.slice(2)); return []; }
      return word.startsWith('s,') ? [] : [flip(word)];
    });
    const [first, ...rest] = points;
    const way = `M${first} C${rest.join(' ')}${tip ? ` L${tip}` : ''}`;
    return { place: Number(edge.class), way, label: edge.lp ? flip(edge.lp) : null };
  });
  return { width, height, nodes, frames, edges };
}

const edgeKey = (graph, edge) => {
  const [from, to] = [graph.nodes[edge.from], graph.nodes[edge.to]];
  return `${from.parent}|${from.name}>${to.name}`;
};
const kinds = { on_failure: 'failure', on_budget: 'failure', when: 'choice', routed: 'choice', labelled: 'choice',
  llm: 'model' };
const kindWords = { failure: 'after a failure', choice: 'on a condition', model: 'if a model chooses it' };

const spoken = (node, did) => `${node.name}, ${did ? `${did.state === 'ok' ? 'done' : did.state}${
  did.count > 1 ? `, ${did.count} visits` : ''}` : 'not reached'}`;

function Node({ row, at, did, isSelected, onSelect }) {
  const isEnd = row.kind === 'start' || row.kind === 'end';
  const press = (event) => {
    if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); onSelect(row.id); }
  };
  if (isEnd) {
    const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
    return html`<g class=${`g-end ${row.kind}`}><circle cx=${x} cy=${y} r="9" />
      ${row.kind === 'end' && html`<circle cx=${x} cy=${y} r="5" class="inner" />`}
      <title>${row.kind === 'start' ? 'Start' : 'End'}</title></g>`;
  }
  const state = did?.state ?? 'none';
  return html`<g class=${`g-node s-${state} ${isSelected ? 'selected' : ''}`} role="button" tabindex="0"
      data-node=${row.id} aria-label=${spoken(row, did)} aria-pressed=${!!isSelected}
      onClick=${() => onSelect(row.id)} onKeyDown=${press}>
    <rect x=${at.x} y=${at.y} width=${at.width} height=${at.height} rx="9" />
    <text x=${at.x + (did ? 30 : at.width / 2)} y=${at.y + at.height / 2 + 4.5}
      text-anchor=${did ? 'start' : 'middle'}>${clip(row.name, 24)}</text>
    ${did && html`<text class="g-mark" x=${at.x + 16} y=${at.y + at.height / 2 + 4.5}
      text-anchor="middle">${markOf(state)}</text>`}
    ${did?.count > 1 && html`<g class="g-count"><rect x=${at.x + at.width - 14} y=${at.y - 9} width="24" height="17"
      rx="8" />
      <text x=${at.x + at.width - 2} y=${at.y + 3.5} text-anchor="middle">${did.count}</text></g>`}
    <title>${row.text || row.name}</title></g>`;
}

function Picture({ graph, nodes, edges, selected, onSelect }) {
  const laid = useMemo(() => readLayout(graph), [graph]);
  const [zoom, setZoom] = useState(0);  // 0: as wide as there is room
  const byId = (id) => nodes?.get(id);
  const scale = zoom || 1;
  const size = zoom ? { width: `${laid.width * scale}px`, height: `${laid.height * scale}px` }
    : { width: '100%', maxWidth: `${laid.width * 1.15}px`, maxHeight: '68vh' };
  return html`<div class="picture">
    <div class="picture-tools">
      <button class="quiet" aria-label="Smaller" onClick=${() => setZoom(Math.max(0.2, scale / 1.3))}>−</button>
      <button class="quiet" onClick=${() => setZoom(0)}>Fit</button>
      <button class="quiet" aria-label="Larger" onClick=${() => setZoom(Math.min(4, scale * 1.3))}>+</button></div>
    <div class="picture-room" tabindex="0" role="group" aria-label="Picture of the graph">
    <svg class="graph" viewBox=${`-14 -14 ${laid.width + 28} ${laid.height + 28}`} style=${size} role="group"
      aria-label=${`Graph ${graph.name}`}>
      <defs><marker id="tip" viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0 0.6 L7 4 L0 7.4 z" /></marker></defs>
      ${laid.frames.map((frame) => {
        const row = graph.nodes[frame.place];
        const state = byId(row.id)?.state ?? 'none';
        return html`<g class=${`g-frame s-${state}`}><rect x=${frame.x} y=${frame.y} width=${frame.width}
          height=${frame.height} rx="12" /><text x=${frame.x + 12} y=${frame.y + 19}>${clip(row.name, 30)}</text></g>`;
      })}
      ${laid.edges.map((edge) => {
        const row = graph.edges[edge.place];
        // No event tells of the first edges: what begins was led to.
        const isFirst = graph.nodes[row.from].kind === 'start' && byId(graph.nodes[row.to].id)?.count;
        const times = edges?.get(edgeKey(graph, row)) ?? (isFirst ? 1 : 0);
        return html`<g class=${`g-edge ${kinds[row.kind] ?? 'plain'} ${times ? 'taken' : edges?.size ? 'idle' : ''}`}>
          <path d=${edge.way} marker-end="url(#tip)" />
          ${edge.label && html`<text x=${edge.label[0]} y=${edge.label[1] + 4} text-anchor="middle">${
            clip(row.label, 24)}</text>`}
          <title>${row.label || `${graph.nodes[row.from].name} to ${graph.nodes[row.to].name}`}</title></g>`;
      })}
      ${laid.nodes.map((at) => {
        const row = graph.nodes[at.place];
        return html`<${Node} key=${row.id} row=${row} at=${at} did=${byId(row.id)} isSelected=${selected === row.id}
          onSelect=${onSelect} />`;
      })}
    </svg></div></div>`;
}

function List({ graph, nodes, selected, onSelect }) {
  const [most, setMost] = useState(200);
  const ways = useMemo(() => {
    const of = new Map();
    for (const edge of graph.edges) of.set(edge.from, [...(of.get(edge.from) ?? []), edge]);
    return of;
  }, [graph]);
  const wayText = (edge) => {
    const to = graph.nodes[edge.to];
    const kind = kindWords[kinds[edge.kind]];
    return `${to.kind === 'end' ? 'the end' : to.name}${edge.label ? ` (${edge.label})` : kind ? ` (${kind})` : ''}`;
  };
  const rows = graph.nodes.map((row, place) => ({ row, place })).filter(({ row }) => row.kind !== 'end');
  return html`<ol class="node-list" aria-label=${`Nodes of ${graph.name}`}>
    ${rows.slice(0, most).map(({ row, place }) => {
      const did = nodes?.get(row.id);
      const to = (ways.get(place) ?? []).map(wayText).join(', ');
      const inset = row.parent ? row.parent.split('/').length : 0;
      return html`<li key=${row.id} class=${`inset-${Math.min(inset, 4)}`}>
        <button class=${`node-button ${selected === row.id ? 'selected' : ''}`} data-list-node=${row.id}
          aria-pressed=${selected === row.id} onClick=${() => onSelect(row.id)}>
          <span class="node-name">${row.kind === 'start' ? 'start' : row.name}</span>
          ${did && html`<${Status} of=${did.state} small />`}
          ${did?.count > 1 && html`<span class="muted">${did.count} visits</span>`}</button>
        <span class="ways">${to ? `→ ${to}` : ''}</span></li>`;
    })}</ol>
    ${rows.length > most && html`<p class="muted">${rows.length - most} more nodes.
      <button class="quiet" onClick=${() => setMost(most + 1000)}>Show more</button></p>`}`;
}

/** @param props  `graph` as the server gives it; `nodes` and `edges` of a `RunModel`, if a run is laid over it. */
export function Graph({ graph, nodes, edges, selected, onSelect = () => {} }) {
  const [look, setLook] = useState('picture');
  if (!graph) return html`<div class="card graph-card"><${Empty} title="No drawing">This server does not have the graph
    any more, or not yet.<//></div>`;
  const canDraw = !!graph.layout?.objects;
  const at = canDraw ? look : 'list';
  return html`<section class="card graph-card" aria-label="Graph">
    <div class="card-head"><h2>Graph</h2>
      ${canDraw && html`<${Tabs} label="How the graph is shown" at=${at} onGo=${setLook}
        tabs=${[['picture', 'Picture'], ['list', 'List']]} />`}</div>
    ${!canDraw && html`<p class="note">As a list: ${graph.why || 'there is no layout'}.</p>`}
    ${at === 'picture' ? html`<${Picture} ...${{ graph, nodes, edges, selected, onSelect }} />`
      : html`<${List} ...${{ graph, nodes, selected, onSelect }} />`}
  </section>`;
}
