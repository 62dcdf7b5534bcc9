// What runs ask people: each question as a form, and an inbox over all runs.

import { get, post, usePoll } from './api.mjs';
import { SchemaForm } from './schema_form.mjs';
import { Ago, Empty, Json, Trouble, announce, html, link, short, useEffect, useRef, useState } from './parts.mjs';

const answer = (run, address, value) => post(`/threads/${encodeURIComponent(run.thread_id)}/runs`, {
  assistant_id: run.graph, command: { resume: { [address]: value } } });

function Choices({ asked, onDone }) {
  const options = asked.kind === 'approval' ? [['Yes', true], ['No', false]]
    : (asked.options ?? []).map((one) => [one, one]);
  return html`<div class="choices">${options.map(([text, value], i) => html`<button class=${i === 0 &&
    asked.kind === 'approval' ? 'primary' : ''} onClick=${() => onDone(value)}>${text}</button>`)}</div>`;
}

function Fields({ asked, address, onDone }) {
  const fields = asked.fields ?? [];
  const properties = asked.kind === 'multi_field' && fields.length
    ? Object.fromEntries(fields.map((field) => [field.name, Object.keys(field.schema ?? {}).length ? field.schema
      : { type: 'string' }]))
    : asked.schema?.properties;
  const notes = Object.fromEntries(fields.map((field) => [field.name, field.text]));
  const required = fields.length ? fields.filter((field) => field.required !== false).map((field) => field.name)
    : asked.schema?.required ?? [];
  return html`<${SchemaForm} schema=${{ properties }} notes=${notes} required=${required} action="Answer"
    prefix=${`q-${address.replace(/\W/g, '_')}`} onDone=${onDone} />`;
}

function FreeText({ onDone, address }) {
  const [text, setText] = useState('');
  const id = `q-${address.replace(/\W/g, '_')}`;
  return html`<form class="schema-form" onSubmit=${(event) => { event.preventDefault(); onDone(text); }}>
    <div class="field"><label for=${id}>Answer</label><textarea id=${id} rows="3" value=${text}
      onInput=${(event) => setText(event.currentTarget.value)}></textarea></div>
    <div class="form-actions"><button class="primary" type="submit">Answer</button></div></form>`;
}

/** A question with its form. Without `asked` the question of that address is looked for. */
export function Question({ run, address, asked, at, refused, onDone }) {
  const found = usePoll((signal) => (asked || !run ? Promise.resolve(null) : get('/studio/api/questions', signal)
    .then((all) => all.questions.find((one) => one.id === address && one.thread_id === run.thread_id) ?? null)),
  // Again and again: its event may come before the store has it, and what was asked may be lost.
  [address, run?.thread_id, !!asked], asked ? 0 : 1000);
  const [trouble, setTrouble] = useState(null);
  const [isSent, setSent] = useState(false);
  const question = asked ?? found.value?.question;
  if (!question || !run) return null;
  const send = (value) => {
    setSent(true);
    setTrouble(null);
    answer(run, address, value).then(() => { announce('The answer is given'); onDone?.(); },
      (error) => { setSent(false); setTrouble(error); });
  };
  const kind = question.kind ?? 'free_text';
  return html`<article class="card question" aria-label="Question">
    <p class="asked" dir="auto">${question.text || 'The run asks for a value.'}</p>
    <p class="muted"><a href=${link('runs', run.run_id)}>${run.graph}</a>, thread ${short(run.thread_id)}${at ?
      html`, asked <${Ago} at=${at} />` : ''}</p>
    ${question.help && html`<p class="muted" dir="auto">${question.help}</p>`}
    ${question.about != null && html`<${Json} value=${question.about} label="What the answer is about" />`}
    ${(refused ?? found.value?.refused) && html`<p class="wrong">The last answer was not taken: ${refused ??
      found.value.refused}</p>`}
    ${isSent ? html`<p class="muted" role="status">The answer is on its way.</p>`
      : ['approval', 'selection'].includes(kind) ? html`<${Choices} asked=${question} onDone=${send} />`
      : kind === 'free_text' ? html`<${FreeText} address=${address} onDone=${send} />`
      : html`<${Fields} asked=${question} address=${address} onDone=${send} />`}
    <${Trouble} of=${trouble} /></article>`;
}

export function Inbox() {
  const { value, error, again } = usePoll((signal) => get('/studio/api/questions', signal), [], 2000);
  const box = useRef();
  // Once, and only if nothing else has the focus: a question that comes later must not take it from an answer.
  useEffect(() => {
    if (value && [document.body, document.querySelector('main')].includes(document.activeElement))
      box.current?.querySelector('.question button,textarea,input,select')?.focus();
  }, [!!value]);
  if (error && !value) return html`<${Trouble} of=${error} again=${again} />`;
  const questions = value?.questions ?? [];
  return html`<div><header class="page-head"><h1>Inbox</h1><p class="muted">${questions.length} open</p></header>
    ${value && questions.length === 0 && html`<${Empty}
      title="No run waits for you">When a node asks a person, its question
      stands here as a form.<//>`}
    <div class="inbox" ref=${box}>${questions.map((one) => html`<${Question} key=${one.run_id + one.id} run=${one}
      address=${one.id}
      asked=${one.question} at=${one.asked_at} refused=${one.refused || undefined} onDone=${again} />`)}
    </div>${value?.has_more && html`<p class="note">There are more; answer these first.</p>`}</div>`;
}
