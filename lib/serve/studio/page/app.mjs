// The frame: which view a URL shows, the menu, the theme, keys, and the API key where the server asks for one.

import { render } from './preact.mjs';
import { get, home, isFile, key, onKeyWanted, usePoll } from './api.mjs';
import { Compare } from './compare.mjs';
import { GraphView, Graphs } from './graphs.mjs';
import { Inbox } from './questions.mjs';
import { RunView } from './run.mjs';
import { Runs, Search } from './runs.mjs';
import { Assistants, Crons, Dead, Store, Workers } from './tables.mjs';
import { Thread, Threads } from './threads.mjs';
import { Dialog, Empty, html, useEffect, useRef, useState } from './parts.mjs';

const menu = [['runs', 'Runs', 'r'], ['inbox', 'Inbox', 'i'], ['threads', 'Threads', 't'], ['graphs', 'Graphs', 'g'],
  ['store', 'Store', 's'], ['crons', 'Crons', 'c'], ['dead', 'Dead letters', 'd'], ['workers', 'Workers', 'w'],
  ['search', 'Search', '/']];

const icons = {
  runs: 'M2 4h7M2 8h11M2 12h5',
  inbox: 'M2 9l2-6h8l2 6v4H2zM2 9h4l1 2h2l1-2h4',
  threads: 'M4 2v12M4 6c4 0 7 1 7 4v4',
  graphs: 'M8 1.5a2 2 0 1 0 .01 0M4 10.500a2 2 0 1 0 .01 0M12 10.500a2 2 0 1 0 .01 0M7 5.500l-2 5M9 5.500l2 5',
  store: 'M2.500 4c0-2.700 11-2.700 11 0s-11 2.700-11 0v8c0 2.700 11 2.700 11 0V4M2.500 8c0 2.700 11 2.700 11 0',
  crons: 'M8 2a6 6 0 1 0 .01 0M8 4.500V8l2.500 2',
  dead: 'M2 4h12v9H2zM2 4l6 5 6-5',
  workers: 'M2 2.500h12V7H2zM2 9h12v4.500H2zM4.500 4.800h1M4.500 11.300h1',
  search: 'M7 2.500a4.500 4.500 0 1 0 .01 0M10.500 10.500L14 14',
};

/** `#/runs/ID?tab=steps` as its parts and its members. */
function readPlace() {
  const [path, words = ''] = (location.hash || home).slice(1).split('?');
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  return { parts: parts.length ? parts : ['runs'], at: Object.fromEntries(new URLSearchParams(words)) };
}

/** @param isSame   The same view: Back leaves it at once, whatever was chosen in it. */
function go(hash, isSame = false) {
  if (isSame) { history.replaceState(null, '', hash); dispatchEvent(new Event('hashchange')); } else location.hash = hash;
}

function View({ parts: [view, first, second], at }) {
  const views = {
    runs: () => (first ? html`<${RunView} key=${first} id=${first} at=${at} go=${go} />` : html`<${Runs} at=${at}
      go=${go} />`),
    inbox: () => html`<${Inbox} />`,
    threads: () => (first ? html`<${Thread} key=${first} id=${first} at=${at} go=${go} />`
      : html`<${Threads} at=${at} go=${go} />`),
    graphs: () => (first ? html`<${GraphView} key=${first} name=${first} at=${at} go=${go} />` : html`<${Graphs} />`),
    compare: () => html`<${Compare} key=${first + second} first=${first} second=${second} go=${go} />`,
    store: () => html`<${Store} at=${at} go=${go} />`,
    assistants: () => html`<${Assistants} />`,
    crons: () => html`<${Crons} />`,
    dead: () => html`<${Dead} />`,
    workers: () => html`<${Workers} />`,
    search: () => html`<${Search} at=${at} go=${go} />`,
  };
  return views[view]?.() ?? html`<${Empty} title="There is no such page"><a href="#/runs">Runs</a> is where most things
    begin.<//>`;
}

const themes = { auto: 'system', light: 'light', dark: 'dark' };

function useTheme() {
  const [theme, setTheme] = useState(localStorage.getItem('weft.theme') ?? 'auto');
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem('weft.theme', theme);
  }, [theme]);
  const names = Object.keys(themes);
  return [theme, () => setTheme(names[(names.indexOf(theme) + 1) % names.length])];
}

const helps = [['g then r, i, t, g, s, c, d, w', 'Runs, Inbox, Threads, Graphs, Store, Crons, Dead letters, Workers'],
  ['/', 'Search, or the filter of the list'], ['↑ ↓, or j k', 'The next row of a list'],
  ['← →', 'The next tab; the next checkpoint on the slider'], ['Enter', 'Opens what has the focus'], ['Ctrl Enter',
    'Sends a form'],
  ['Esc', 'Closes a dialog'], ['?', 'This help']];

function Help({ onClose, isOn, onSwitch }) {
  return html`<${Dialog} title="Keys" onClose=${onClose}><dl
    class="keys">${helps.map(([keys, what]) => html`<dt><kbd>${keys}</kbd>
    </dt><dd>${what}</dd>`)}</dl>
    <label class="switch"><input type="checkbox" checked=${isOn} onChange=${onSwitch} /> Single keys work outside of
      fields</label><p class="muted">Parts of others: <a href="licences.txt" target="_blank"
        rel="noopener">licences</a>.</p><//>`;
}

/** Keys of one letter work outside of fields only, and may be switched off (WCAG 2.1.4). */
function useKeys(isOn, onHelp) {
  const before = useRef('');
  useEffect(() => {
    const press = (event) => {
      const isTyping = event.target.closest('input:not([type=checkbox]):not([type=range]),textarea,select,dialog');
      if (!isOn || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const was = before.current;
      before.current = event.key === 'g' && was !== 'g' ? 'g' : '';
      if (event.key === '?') { onHelp(); event.preventDefault(); return; }
      if (event.key === '/') {
        event.preventDefault();
        const filter = document.getElementById('filter');
        if (filter) filter.focus(); else go('#/search');
        return;
      }
      const found = was === 'g' && menu.find(([, , letter]) => letter === event.key);
      if (found) { event.preventDefault(); go(`#/${found[0]}`); }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [isOn]);
}

/** What has the focus may go, such as a row that is deleted: then what is in its place gets it, or all around it. */
function useFocus() {
  useEffect(() => {
    let last = null;
    const note = ({ target }) => {
      last = { target, rows: target.closest('tbody'), at: target.closest('tr')?.sectionRowIndex,
        dialog: target.closest('dialog') };
    };
    const mend = () => {
      if (!last || last.target.isConnected || document.activeElement !== document.body) return;
      const rows = last.rows?.isConnected ? last.rows.rows : [];
      (rows[Math.min(last.at, rows.length - 1)]?.querySelector('button, a')
        ?? (last.dialog?.isConnected ? last.dialog : document.getElementById('main'))).focus();
    };
    addEventListener('focusin', note);
    const watch = new MutationObserver(mend);
    watch.observe(root, { childList: true, subtree: true });
    return () => { removeEventListener('focusin', note); watch.disconnect(); };
  }, []);
}

function KeyDialog({ onDone, onClose }) {
  const [text, setText] = useState('');
  const send = (event) => { event.preventDefault(); key.set(text.trim()); onDone(); };
  return html`<${Dialog} title="The server asks who you are" onClose=${onClose}><form class="schema-form"
    onSubmit=${send}>
    <div class="field"><label for="api-key">API key</label><p class="muted"
      id="api-key-note">It stays in this tab, and goes
      with it. <code>weft keys --add NAME</code> makes one.</p><input id="api-key" type="password" autocomplete="off"
      aria-describedby="api-key-note" value=${text} onInput=${(event) => setText(event.currentTarget.value)} /></div>
    <div class="form-actions"><button class="primary" type="submit">Use it</button></div></form><//>`;
}

const Mark = () => html`<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" class="brand-mark">
  <rect width="32" height="32" rx="8" /><path d="M7 11c4 0 5 10 9 10s5-10 9-10M7 21c4 0 5-10 9-10s5 10 9 10" /></svg>`;

/** What waits for people, beside its place in the menu. */
function useOpen(turn) {
  const { value } = usePoll((signal) => get('/studio/api/questions', signal), [turn], 10_000);
  return value?.questions.length ?? 0;
}

function App() {
  const [place, setPlace] = useState(readPlace);
  const [theme, nextTheme] = useTheme();
  const [isHelping, setHelping] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const [turn, setTurn] = useState(0);
  const [hasKeys, setKeys] = useState(localStorage.getItem('weft.keys') !== 'off');
  const main = useRef();
  const open = useOpen(turn);
  useKeys(hasKeys, () => setHelping(true));
  useFocus();
  useEffect(() => {
    const move = () => setPlace(readPlace());
    addEventListener('hashchange', move);
    onKeyWanted(() => setAsked(true));
    return () => removeEventListener('hashchange', move);
  }, []);
  const path = place.parts.join('/');
  const [view] = place.parts;
  const title = menu.find(([name]) => name === view)?.[1] ?? view;
  useEffect(() => {
    document.title = `${title}${place.parts[1] ? ` ${place.parts[1].slice(-8)}` : ''} · weft studio`;
    main.current?.scrollTo(0, 0);
  }, [path]);
  const switchKeys = () => { localStorage.setItem('weft.keys', hasKeys ? 'off' : 'on'); setKeys(!hasKeys); };
  const isAt = (name) => name === view || (name === 'graphs' && view === 'assistants') || (name === 'runs'
    && view === 'compare');
  return html`<a class="skip" href="#main"
    onClick=${(event) => { event.preventDefault(); main.current.focus(); }}>Skip to the
      content</a>
    <aside><a class="brand" href=${home}><${Mark} /><span>weft <b>studio</b></span></a>
      <nav aria-label="Studio"><ul>${(isFile ? [] : menu).map(([name, text]) => html`<li><a href=${`#/${name}`}
        aria-current=${isAt(name) ? 'page'
        : undefined}><svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path
        d=${icons[name]} /></svg><span>${text}</span>${name === 'inbox'
          && open > 0 &&
        html`<b class="count" aria-label=${`${open} open`}>${open}</b>`}</a></li>`)}</ul></nav>
      <div class="aside-foot"><button class="quiet" onClick=${nextTheme}>Theme: ${themes[theme]}</button>
        <button class="quiet" onClick=${() => setHelping(true)}>Keys</button></div></aside>
    <main id="main" ref=${main} tabindex="-1"><div class="page" key=${turn}><${View} ...${place} /></div></main>
    <p id="announcer" class="sr" role="status"></p>
    ${isHelping && html`<${Help} isOn=${hasKeys} onSwitch=${switchKeys} onClose=${() => setHelping(false)} />`}
    ${isAsked && html`<${KeyDialog} onClose=${() => setAsked(false)}
      onDone=${() => { setAsked(false); setTurn(turn + 1); }} />`}`;
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${App} />`, root);
