// The server, as the page asks it: with the caller's key, with errors that say what to do, and events as they come.

import { useEffect, useRef, useState } from './hooks.mjs';

const exactly = (key, value, { source } = {}) => (Number.isInteger(value) && !Number.isSafeInteger(value) && source &&
  JSON.rawJSON ? JSON.rawJSON(source) : value);

/** JSON as a value, in which whole numbers of more than 53 bits stay what they are where the browser can do that. */
export const parseJson = (text) => (/\d{16}/.test(text) ? JSON.parse(text, exactly) : JSON.parse(text));

/** A run that was saved as a file: what the server said of it. Null: there is a server. */
const stored = document.getElementById('saved');
const saved = stored && parseJson(stored.textContent);
export const isFile = saved !== null;
/** Where the page begins. */
export const home = saved ? `#/runs/${saved.run.run_id}` : '#/runs';

function fromFile(method, path) {
  const [, kind, id] = path.match(/^\/studio\/api\/(runs|graphs)\/([^/?]+)$/) ?? [];
  if (method === 'GET' && kind === 'runs' && id === saved.run.run_id) return saved.run;
  if (method === 'GET' && kind === 'graphs' && decodeURIComponent(id) === saved.run.graph
    && saved.graph) return saved.graph;
  if (path === '/studio/api/questions') return { questions: [] };
  throw new Refused(404, 'This is a file with one run, and there is no server behind it.', 'It is not in the file',
    'Go back to the run.');
}

const base = isFile ? '' : new URL('..', location.href.split('#')[0]).href.replace(/\/$/, '');
const slot = 'weft.key';

export const key = {
  get: () => sessionStorage.getItem(slot) ?? '',
  set: (text) => (text ? sessionStorage.setItem(slot, text) : sessionStorage.removeItem(slot)),
};

export class Refused extends Error {
  constructor(status, message, title, advice) {
    super(message);
    Object.assign(this, { status, title, advice });
  }
}

const advice = {
  0: ['The server does not answer', 'See whether it runs; the page goes on by itself when it is back.'],
  401: ['The server asks who you are', 'Give an API key: weft keys --add NAME makes one.'],
  403: ['Your key may not do that', 'Ask for a key with the scope that the message names.'],
  404: ['It is not there', 'It may have been deleted, or belong to another tenant.'],
  409: ['The thread is busy', 'Wait for its run, or cancel it, and try again.'],
  422: ['The server does not take that', 'Correct what the message names.'],
  429: ['Too many requests', 'Wait a moment and try again.'],
  503: ['The server, or its database, is away for a moment', 'It is asked again by itself.'],
};

const keyHeaders = () => (key.get() ? { 'x-api-key': key.get() } : {});
const asked = new EventTarget();
export const onKeyWanted = (call) => { asked.addEventListener('wanted', call); };

async function refusalOf(answer) {
  let message = `${answer.status} ${answer.statusText}`;
  try {
    const body = await answer.json();
    message = body.detail ?? body.error?.message ?? message;
  } catch { /* no JSON, so the status says it */ }
  if (answer.status === 401) asked.dispatchEvent(new Event('wanted'));
  return new Refused(answer.status, String(message), ...(advice[answer.status] ?? ['The server failed',
    'The log of the server says why.']));
}

/** Gives a file of the server to the person at the page. */
export async function download(path, name) {
  const answer = await fetch(base + path, { headers: keyHeaders() });
  if (!answer.ok) throw await refusalOf(answer);
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(await answer.blob()),
    download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @returns  The answer as JSON; null if it has none. */
export async function ask(method, path, body, signal) {
  if (saved) return fromFile(method, path);
  let answer;
  try {
    answer = await fetch(base + path, { method, signal,
      headers: { ...keyHeaders(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refused(0, 'There was no answer.', ...advice[0]);
  }
  if (!answer.ok) throw await refusalOf(answer);
  const text = await answer.text();
  return text ? parseJson(text) : null;
}

export const get = (path, signal) => ask('GET', path, undefined, signal);
export const post = (path, body, signal) => ask('POST', path, body, signal);

/** What a path gives, asked again every `ms` while the page is in sight. `path` null: nothing is asked. */
export function usePoll(load, inputs, ms = 0) {
  const [state, setState] = useState({ value: undefined, error: undefined });
  const [turn, setTurn] = useState(0);
  const shown = useRef('');
  useEffect(() => {
    const stop = new AbortController();
    let timer;
    const look = async () => {
      try {
        if (document.visibilityState === 'visible' || shown.current === '') {
          const value = await load(stop.signal);
          const text = JSON.stringify(value) ?? 'null';
          if (stop.signal.aborted) return;
          if (text !== shown.current) setState({ value, error: undefined });
          else setState((now) => (now.error ? { value: now.value, error: undefined } : now));
          shown.current = text;
        }
      } catch (error) {
        if (stop.signal.aborted || error.name === 'AbortError') return;
        setState((now) => ({ value: now.value, error }));
      }
      if (ms && !stop.signal.aborted) timer = setTimeout(look, ms);
    };
    look();
    return () => { stop.abort(); clearTimeout(timer); };
  }, [...inputs, turn]);
  // What is shown belongs to what was asked: a list of before would be taken for the new one.
  useEffect(() => () => { shown.current = ''; setState({ value: undefined, error: undefined }); }, inputs);
  return { ...state, again: () => setTurn((n) => n + 1) };
}

/** Follows an event stream until `signal`, or until `onEvent` gives false; a lost connection is joined again behind the
 *  last event. None reaches `onEvent` after `signal`.
 *  @param from   `{last}`: the id of the last event that is known; it follows those that are told. */
export async function follow(path, { onEvent, onLink, signal, from = { last: '' } }) {
  if (saved) {
    for (const [name, event] of saved.events) if (onEvent(name, event) === false) return;
    return;
  }
  let pause = 300;
  while (!signal.aborted) {
    try {
      const answer = await fetch(base + path, { signal,
        headers: { ...keyHeaders(), accept: 'text/event-stream',
          ...(from.last ? { 'last-event-id': from.last } : {}) } });
      if (!answer.ok) {
        const refused = await refusalOf(answer);
        if (![0, 429, 503].includes(refused.status)) { onLink('refused', refused); return; }
        throw refused;
      }
      onLink('open');
      pause = 300;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { value, done } = await reader.read();
        if (signal.aborted) return;
        if (done) break;
        const frames = (rest + value).split('\n\n');
        rest = frames.pop();
        for (const frame of frames) {
          const event = { name: 'message', data: '' };
          for (const line of frame.split('\n')) {
            if (line.startsWith('id: ')) from.last = line.slice(4);
            else if (line.startsWith('event: ')) event.name = line.slice(7);
            else if (line.startsWith('data: ')) event.data += line.slice(6);
          }
          if (!event.data || onEvent(event.name, parseJson(event.data)) !== false) continue;
          reader.cancel().catch(() => {});
          return;
        }
      }
    } catch (error) {
      if (signal.aborted || error.name === 'AbortError') return;
    }
    onLink('lost');
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, 5000);
  }
}
