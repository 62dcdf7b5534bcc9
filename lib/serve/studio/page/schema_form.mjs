// Forms that come from JSON Schema: plain members as fields, all else as JSON.

import { parseJson } from './api.mjs';
import { html, useState } from './parts.mjs';

const kindOf = (schema) => {
  if (schema?.enum) return 'choice';
  const type = Array.isArray(schema?.type) ? schema.type.find((one) => one !== 'null') : schema?.type;
  return { string: 'text', integer: 'number', number: 'number', boolean: 'flag' }[type] ?? 'json';
};

/** What a field holds, as its schema wants it. @throws  With the name of the field, if it is no such value. */
function valueOf(name, schema, text) {
  const kind = kindOf(schema);
  if (kind === 'flag') return text === true || text === 'true';
  if (kind === 'number') {
    const number = Number(text);
    if (text === '' || Number.isNaN(number)) throw new Error(`${name}: give a number`);
    return Number.isInteger(number) && !Number.isSafeInteger(number) ? parseJson(text.trim()) : number;
  }
  if (kind === 'json') {
    try { return parseJson(text); } catch (error) { throw new Error(`${name}: this is no JSON (${error.message})`); }
  }
  if (kind === 'choice') return schema.enum.find((one) => String(one) === text) ?? text;
  return text;
}

function Field({ name, schema, value, onChange, note, required, id }) {
  const kind = kindOf(schema);
  const change = (event) => onChange(kind === 'flag' ? event.currentTarget.checked : event.currentTarget.value);
  const common = { id, name, onInput: change, 'aria-required': required ? 'true' : undefined,
    'aria-describedby': note ? `${id}-note` : undefined };
  const text = value ?? '';
  return html`<div class=${`field ${kind}`}>
    <label for=${id}><span>${name}</span>${kind === 'json' ? html` <small>JSON</small>` : ''}${required ?
      html` <small>needed</small>` : ''}</label>
    ${note && html`<p id=${`${id}-note`} class="muted" dir="auto">${note}</p>`}
    ${kind === 'flag' ? html`<input type="checkbox" ...${common} checked=${value === true} />`
      : kind === 'choice' ? html`<select ...${common} value=${text}><option
        value="">–</option>${schema.enum.map((one) =>
        html`<option value=${String(one)}>${String(one)}</option>`)}</select>`
      : kind === 'number' ? html`<input type="number" step="any" ...${common} value=${text} />`
      : html`<textarea rows=${kind === 'json' ? 4 : Math.min(6, 1 + String(text).length / 70)} ...${common}
        value=${text}
        spellcheck=${kind !== 'json'} class=${kind === 'json' ? 'code' : ''}></textarea>`}</div>`;
}

const shown = (schema, value) => (value === undefined ? '' : kindOf(schema) === 'json' ? JSON.stringify(value, null, 2)
  : kindOf(schema) === 'flag' ? value === true : String(value));

/** A form for an object. `onDone` gets the members that were filled in, and the name of the button; `values` are there
 *  before.
 *  @param props  `notes`: texts by member; `only`: gives what was changed, and nothing else. */
export function SchemaForm({ schema, values = {}, notes = {}, required = [], action, onDone, only, children,
  prefix = 'f' }) {
  const members = Object.entries(schema?.properties ?? {});
  const start = Object.fromEntries(members.map(([name, of]) => [name, shown(of, values[name])]));
  const [texts, setTexts] = useState(start);
  const [raw, setRaw] = useState(null);
  const [wrong, setWrong] = useState('');
  const read = () => {
    if (raw !== null) {
      try { return parseJson(raw); } catch (error) { throw new Error(`This is no JSON: ${error.message}`); }
    }
    const result = {};
    for (const [name, of] of members) {
      const text = texts[name];
      const isEmpty = text === '' || text === undefined || (text === false && !required.includes(name));
      if (isEmpty && required.includes(name)) throw new Error(`${name}: it is needed`);
      if (only ? text !== start[name] : !isEmpty) result[name] = valueOf(name, of, text);
    }
    return result;
  };
  const send = (event) => {
    event.preventDefault();
    try { setWrong(''); onDone(read(), event.submitter?.name); } catch (error) { setWrong(error.message); }
  };
  const swap = () => {
    if (raw !== null) { setRaw(null); return; }
    try { setRaw(JSON.stringify(read(), null, 2)); setWrong(''); } catch (error) { setWrong(error.message); }
  };
  const press = (event) => {
    if (event.key !== 'Enter' || !event.ctrlKey) return;
    event.preventDefault();  // a field of one line would send it once more
    event.currentTarget.requestSubmit();
  };
  return html`<form class="schema-form" onSubmit=${send} onKeyDown=${press}>
    ${raw !== null || members.length === 0 ? html`<div class="field json"><label for=${`${prefix}-raw`}>All of it, as
        JSON</label><textarea id=${`${prefix}-raw`} class="code" rows="8" spellcheck="false" value=${raw ?? '{}'}
        onInput=${(event) => setRaw(event.currentTarget.value)}></textarea></div>`
      : members.map(([name, of]) => html`<${Field} key=${name} id=${`${prefix}-${name}`} name=${name} schema=${of}
        value=${texts[name]} note=${notes[name] ?? of.description} required=${required.includes(name)}
        onChange=${(text) => setTexts({ ...texts, [name]: text })} />`)}
    ${wrong && html`<p class="wrong" role="alert">${wrong}</p>`}
    <div class="form-actions"><button class="primary" type="submit">${action}</button>
      ${members.length > 0 && html`<button type="button" class="quiet" onClick=${swap}>${raw === null ? 'Write JSON'
        : 'Use the form'}</button>`}${children}</div></form>`;
}
