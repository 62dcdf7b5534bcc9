// What all views are made of: preact with htm, small parts, and texts for people.

import { h } from './preact.mjs';
import { useEffect, useLayoutEffect, useRef, useState } from './hooks.mjs';
import htm from './htm.mjs';

export const html = htm.bind(h);

export const link = (...path) => '#/' + path.map((part) => encodeURIComponent(part)).join('/');

/** A query of a link; what is empty is left out. */
export function query(members) {
  const words = Object.entries(members).filter(([, value]) => value !== '' && value != null)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return words.length ? '?' + words.join('&') : '';
}

const marks = {
  queued: '◌', ready: '◌', running: '▶', waiting: '?', finished: '✓', failed: '✕', cancelled: '⊘', dead: '✕',
  idle: '·', busy: '▶', interrupted: '?', error: '✕', ok: '✓', skipped: '⤼', stopped: '⊘', retried: '↻',
};
const words = { ok: 'done', ready: 'ready', interrupted: 'waiting', error: 'failed' };

/** A status by mark, word and colour: none of them says it alone. */
export function Status({ of, small }) {
  return html`<span class=${`status s-${of} ${small ? 'small' : ''}`}>
    <span class="mark" aria-hidden="true">${marks[of] ?? '·'}</span>${words[of] ?? of}</span>`;
}

export const markOf = (state) => marks[state] ?? '';

export function span(ms) {
  if (ms == null || Number.isNaN(ms)) return '–';
  if (ms < 1) return '<1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${String(Math.floor(ms / 1000) % 60).padStart(2, '0')} s`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h ${Math.floor(ms / 60_000) % 60} min`;
  return `${Math.floor(ms / 86_400_000)} d ${Math.floor(ms / 3_600_000) % 24} h`;
}

export const count = (number) => Number(number ?? 0).toLocaleString('en').replaceAll(',', '\u202f');
export const money = (micros) => `$${(micros / 1e6).toFixed(micros < 1e6 ? 4 : 2)}`;

/** A moment, as how long ago it is; the whole of it is the tooltip. */
export function Ago({ at }) {
  if (!at) return html`<span class="muted">–</span>`;
  const past = Date.now() - Date.parse(at);
  const text = past < 5000 ? 'just now' : `${span(Math.floor(past / 1000) * 1000).replace(/\.\d+/, '')} ago`;
  return html`<time datetime=${at} title=${new Date(at).toLocaleString()}>${text}</time>`;
}

export const short = (id) => (id && id.length > 14 ? `${id.slice(0, 4)}…${id.slice(-8)}` : id);

/** An id that is too long to read: its end tells ids apart that were made one after the other. */
export const Id = ({ of }) => html`<code class="id" title=${of}>${short(of)}</code>`;

export function Empty({ title, children }) {
  return html`<div class="empty"><svg class="empty-mark" viewBox="0 0 64 40" aria-hidden="true">
    <path d="M4 12c14 0 14 16 28 16s14-16 28-16M4 28c14 0 14-16 28-16s14 16 28 16" /></svg>
    <h2>${title}</h2><p>${children}</p></div>`;
}

/** What went wrong, and what to do. */
export function Trouble({ of, again }) {
  if (!of) return null;
  return html`<div class="trouble" role="alert"><strong>${of.title ?? 'That did not work'}</strong>
    <p>${of.message}</p>${of.advice && html`<p class="advice">${of.advice}</p>`}
    ${again && html`<button onClick=${again}>Try again</button>`}</div>`;
}

const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A text of others as it is: what cannot be seen, or turns the text around it, is written out. */
export const plain = (text) => String(text ?? '').replace(unseen, (letter) =>
  `\\u${letter.codePointAt(0).toString(16).padStart(4, '0')}`);

/** A value as text. */
export const textOf = (value) => plain(typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? 'none');

export const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** JSON as text; a long one is shown in part until it is asked for. */
export function Json({ value, label }) {
  const [isWhole, setWhole] = useState(false);
  const text = textOf(value);
  const most = 4000;
  const shown = isWhole || text.length <= most ? text : text.slice(0, most);
  return html`<div class="json"><pre tabindex="0" role="group" aria-label=${label ?? 'Value'} dir="ltr">${shown}</pre>
    ${shown.length < text.length && html`<button class="quiet" onClick=${() => setWhole(true)}>
      Show all ${count(text.length)} characters</button>`}</div>`;
}

export function Copy({ text, label = 'Copy' }) {
  const [is, setIs] = useState(false);
  useEffect(() => { if (is) { const timer = setTimeout(() => setIs(false), 1500); return () => clearTimeout(timer); } });
  const copy = () => navigator.clipboard?.writeText(text).then(() => setIs(true), () => setIs(false));
  return html`<button class="quiet" onClick=${copy}>${is ? 'Copied' : label}</button>`;
}

/** Rows of which only those in sight are on the page: a list of any length stays quick. `row` gives the cells. */
export function VirtualList({ rows, height = 34, most = 560, row, label, selected, onSelect }) {
  const box = useRef();
  const [top, setTop] = useState(0);
  const room = Math.min(most, Math.max(height, rows.length * height));
  const first = Math.max(0, Math.floor(top / height) - 6);
  const last = Math.min(rows.length, Math.ceil((top + room) / height) + 6);
  const move = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 }[event.key];
    if (!by || !onSelect) return;
    event.preventDefault();
    const at = Math.max(-1, rows.findIndex((each) => each.key === selected));
    const next = Math.max(0, Math.min(rows.length - 1, at + by));
    onSelect(rows[next]);
    const sight = box.current;
    if (next * height < sight.scrollTop) sight.scrollTop = next * height;
    if ((next + 1) * height > sight.scrollTop + room) sight.scrollTop = (next + 1) * height - room;
  };
  const shown = [];
  for (let i = first; i < last; ++i) {
    const each = rows[i];
    shown.push(html`<div key=${each.key} class=${`vrow ${each.key === selected ? 'selected' : ''}`} role="option"
      id=${`row-${each.key}`} aria-selected=${each.key === selected} aria-posinset=${i + 1} aria-setsize=${rows.length}
      style=${{ top: `${i * height}px`, height: `${height}px` }}
        onClick=${() => onSelect?.(each)}>${row(each, i)}</div>`);
  }
  return html`<div class="vlist" ref=${box} role="listbox" tabindex="0" aria-label=${label} onKeyDown=${move}
    onScroll=${(event) => setTop(event.currentTarget.scrollTop)} style=${{ height: `${room}px` }}>
    <div class="vspace" role="presentation" style=${{ height: `${rows.length * height}px` }}>${shown}</div></div>`;
}

/** Tabs by the arrow keys, as ARIA has them. `tabs` are [name, title] pairs. */
export function Tabs({ tabs, at, onGo, label }) {
  const move = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = tabs[(tabs.findIndex(([name]) => name === at) + by + tabs.length) % tabs.length][0];
    onGo(next);
    event.currentTarget.querySelector(`[data-tab="${next}"]`)?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} onKeyDown=${move}>
    ${tabs.map(([name, title]) => html`<button key=${name} role="tab" data-tab=${name} aria-selected=${name === at}
      tabindex=${name === at ? 0 : -1} onClick=${() => onGo(name)}>${title}</button>`)}</div>`;
}

/** A dialog of the browser. It is open as long as it is on the page: Escape and the button take it off, and the focus
 *  goes back to what had it. Keys pressed right after that reach the page. */
export function Dialog({ title, onClose, children }) {
  const box = useRef();
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const dialog = box.current;
    dialog.showModal();
    return () => { dialog.close(); if (opener.isConnected) opener.focus(); };
  }, []);
  const leave = (event) => { event.preventDefault(); onClose(); };
  // A browser may close it without asking; a `close` that comes after the unmount is of its own making.
  return html`<dialog ref=${box} tabindex="-1" onCancel=${leave} onClose=${() => box.current && onClose()}
    aria-label=${title}>
    <div class="dialog-head"><h2>${title}</h2>
      <button class="quiet" aria-label="Close" onClick=${onClose}>✕</button></div>
    ${children}</dialog>`;
}

/** Says something to screen readers without moving the focus. */
export function announce(text) {
  const place = document.getElementById('announcer');
  if (place) place.textContent = text;
}

export { useEffect, useRef, useState };
export { useMemo } from './hooks.mjs';
