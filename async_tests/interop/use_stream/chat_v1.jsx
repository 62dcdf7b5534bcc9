// The hook of @langchain/langgraph-sdk/react, over the first protocol.

import { useStream } from '@langchain/langgraph-sdk/react';

const say = (content) => ({ messages: [{ type: 'human', content }] });

export function useChat({ transport, ...options }) {
  const stream = useStream({
    ...options,
    fetchStateHistory: true,
    // Of all tabs, so that a second one joins the run that the first one has begun.
    reconnectOnMount: () => window.localStorage,
  });
  return {
    stream,
    messages: stream.messages,
    isLoading: stream.isLoading,
    error: stream.error,
    question: stream.interrupt,
    send: (text) => stream.submit(say(text)),
    answer: (answer) => stream.submit(undefined, { command: { resume: answer } }),
    stop: () => stream.stop(),
  };
}

export function Message({ stream, message, draft }) {
  const about = stream.getMessagesMetadata(message);
  const branches = about?.branchOptions ?? [];
  const edit = () => stream.submit(say(draft), { checkpoint: about.firstSeenState.parent_checkpoint });
  const turn = () => stream.setBranch(branches[branches.indexOf(about.branch) - 1]);
  return (
    <>
      {about?.firstSeenState && <button className="edit" onClick={edit}>edit</button>}
      {branches.length > 1 && <button className="previous" onClick={turn}>previous</button>}
    </>
  );
}
