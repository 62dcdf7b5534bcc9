// The hook of @langchain/react, over the second protocol.

import { useStream } from '@langchain/react';

const say = (content) => ({ messages: [{ type: 'human', content }] });

export function useChat(options) {
  const stream = useStream(options);
  return {
    stream,
    messages: stream.messages,
    isLoading: stream.isLoading,
    error: stream.error,
    question: stream.interrupt,
    send: (text) => stream.submit(say(text)),
    answer: (answer) => stream.respond(answer),
    stop: () => stream.stop(),
  };
}

/** The checkpoint before the first one that has the message. */
async function beginningOf(stream, message) {
  const history = await stream.client.threads.getHistory(stream.threadId, { limit: 100 });
  const first = history.findLast((state) => state.values.messages?.some((one) => one.id === message.id));
  return first.parent_checkpoint.checkpoint_id;
}

export function Message({ stream, message, draft }) {
  const edit = async () => stream.submit(say(draft), { forkFrom: await beginningOf(stream, message) });
  return <button className="edit" onClick={edit}>edit</button>;
}
