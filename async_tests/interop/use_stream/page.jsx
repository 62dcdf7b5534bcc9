// A chat with one of the hooks. The test presses its buttons and reads what it shows.

import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Message, useChat } from 'use-chat';

const query = new URLSearchParams(location.search);
window.seen = [];  // each text of the last message, as it grew

function textOf(message) {
  return typeof message.content === 'string' ? message.content : message.content.map((part) => part.text ?? '').join('');
}

function keepInAddress(thread) {
  query.set('thread', thread);
  history.replaceState(null, '', `?${query}`);
}

function Chat() {
  const [thread, setThread] = useState(query.get('thread'));
  const [draft, setDraft] = useState('');
  const chat = useChat({
    apiUrl: query.get('api'),
    assistantId: 'assistant',
    transport: query.get('transport') ?? undefined,
    threadId: thread,
    onThreadId: (id) => { setThread(id); keepInAddress(id); },
  });
  const texts = chat.messages.map(textOf);
  useEffect(() => {
    if (texts.length && texts.at(-1) !== window.seen.at(-1)) window.seen.push(texts.at(-1));
  });
  return (
    <main data-loading={String(chat.isLoading)}>
      <ol>
        {chat.messages.map((message, i) => (
          <li key={message.id ?? i} data-type={message.type ?? message.getType?.()} data-id={message.id}>
            <span>{texts[i]}</span>
            <Message stream={chat.stream} message={message} draft={draft} />
          </li>
        ))}
      </ol>
      {chat.question && <p id="question">{JSON.stringify(chat.question.value)}</p>}
      {chat.question && <button id="yes" onClick={() => chat.answer(true)}>yes</button>}
      {chat.error != null && <p id="error">{String(chat.error)}</p>}
      <input id="draft" value={draft} onChange={(e) => setDraft(e.target.value)} />
      <button id="send" onClick={() => chat.send(draft)}>send</button>
      <button id="stop" onClick={() => chat.stop()}>stop</button>
    </main>
  );
}

createRoot(document.getElementById('root')).render(<Chat />);
