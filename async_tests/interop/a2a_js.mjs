// A2A's official client in JavaScript against a server of weft, over both bindings and in the dialect of 0.3.
// usage: a2a_js.mjs <url> <folder with node_modules>

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [url, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${folder}/`));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const sdk = await load('@a2a-js/sdk/client');
const { Role, TaskState } = await load('@a2a-js/sdk');
const { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } = sdk;

const transports = {
    'JSONRPC 1.0': new JsonRpcTransportFactory(),
    'HTTP+JSON 1.0': new RestTransportFactory(),
    'JSONRPC 0.3': new JsonRpcTransportFactory({ legacyCompat: { enabled: true } }),
};

async function cardOf(agent, kind) {
    const card = await (await fetch(`${url}/a2a/${agent}/.well-known/agent-card.json`)).json();
    const [binding, version] = kind.split(' ');
    card.supportedInterfaces = card.supportedInterfaces.filter(
        (one) => one.protocolBinding === binding && one.protocolVersion === version);
    assert.equal(card.supportedInterfaces.length, 1, kind);
    return card;
}

async function clientOf(agent, kind) {
    return new ClientFactory({ transports: [transports[kind]] }).createFromAgentCard(await cardOf(agent, kind));
}

const part = (content) => ({ content, metadata: undefined, filename: '', mediaType: '' });
const textPart = (value) => part({ $case: 'text', value });
const dataPart = (value) => part({ $case: 'data', value });

function said(parts, more = {}, configuration = undefined) {
    const message = { messageId: randomUUID(), role: Role.ROLE_USER, parts, contextId: '', taskId: '', extensions: [],
        referenceTaskIds: [], metadata: undefined, ...more };
    return { tenant: '', message, configuration, metadata: undefined };
}

async function eventsOf(stream) {
    const events = [];
    for await (const event of stream) events.push(event.payload);
    return events;
}

async function refused(promise, name, what) {
    await assert.rejects(promise, (e) => {
        // The class of each binding is one of its own: JsonRpcTaskNotFoundError.
        assert.ok(e.constructor.name.endsWith(name), `${what}: ${e.constructor.name} ${e.message}`);
        return true;
    });
}

async function streaming(kind) {
    const chat = await clientOf('chat', kind);
    const events = await eventsOf(chat.sendMessageStream(said([textPart('hello')])));
    assert.equal(events[0].$case, 'task');
    const pieces = events.filter((e) => e.$case === 'artifactUpdate').map((e) => e.value);
    assert.equal(pieces.map((p) => p.artifact.parts[0].content.value).join(''), 'You said: hello');
    assert.deepEqual(pieces.map((p) => p.append), [false, true, true, true]);
    const last = events.at(-1);
    assert.equal(last.$case, 'statusUpdate');
    assert.equal(last.value.status.state, TaskState.TASK_STATE_COMPLETED);
    const task = await chat.getTask({ tenant: '', id: events[0].value.id, historyLength: undefined });
    assert.equal(task.artifacts[0].parts[0].content.value, 'You said: hello');
    assert.equal(task.history[0].parts[0].content.value, 'hello');
}

async function questions(kind) {
    const asking = await clientOf('assistant', kind);
    const asked = await asking.sendMessage(said([textPart('ask me')]));
    assert.equal(asked.status.state, TaskState.TASK_STATE_INPUT_REQUIRED);
    const question = asked.status.message.parts[1].content.value.questions[0];
    assert.equal(question.schema.type, 'boolean');
    const names = { taskId: asked.id, contextId: asked.contextId };
    await refused(asking.sendMessage(said([textPart('perhaps')], names)), 'RequestMalformedError', 'no answer');
    const answered = await asking.sendMessage(said([dataPart({ answers: { [question.id]: false } })], names));
    assert.equal(answered.status.state, TaskState.TASK_STATE_COMPLETED);
    assert.equal(answered.artifacts[0].parts[0].content.value, 'You say no');
    await refused(asking.sendMessage(said([textPart('yes')], names)), 'UnsupportedOperationError', 'a task that is over');
}

async function control(kind) {
    const slow = await clientOf('slow', kind);
    const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, historyLength: undefined,
        returnImmediately: true };
    const task = await slow.sendMessage(said([dataPart({ delay_ms: 60000 })], {}, configuration));
    await refused(slow.getTask({ tenant: '', id: 'none', historyLength: undefined }), 'TaskNotFoundError', 'no task');
    const stream = slow.resubscribeTask({ tenant: '', id: task.id });
    const first = await stream.next();
    assert.equal(first.value.payload.value.id, task.id);
    const cancelled = await slow.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    assert.equal(cancelled.status.state, TaskState.TASK_STATE_CANCELED);
    const rest = await eventsOf(stream);
    assert.equal(rest.at(-1).value.status.state, TaskState.TASK_STATE_CANCELED);
    await refused(slow.cancelTask({ tenant: '', id: task.id, metadata: undefined }), 'TaskNotCancelableError', 'twice');
    if (kind.endsWith('0.3')) return;  // which has no lists
    const page = await slow.listTasks({ tenant: '', contextId: task.contextId, status: 0, pageSize: 10, pageToken: '',
        historyLength: undefined, statusTimestampAfter: undefined, includeArtifacts: undefined });
    assert.deepEqual(page.tasks.map((one) => one.id), [task.id]);
}

for (const kind of Object.keys(transports)) {
    await streaming(kind);
    await questions(kind);
    await control(kind);
}
// The card by which clients find the agents of a server.
const found = await new ClientFactory().createFromUrl(`${url}/a2a/echo/`);
const echoed = await found.sendMessage(said([textPart('x')]));
assert.deepEqual(echoed.artifacts[0].parts[0].content.value.steps, ['first x', 'second']);
console.log('passed');
