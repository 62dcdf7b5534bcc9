// An agent made with A2A's own SDK in JavaScript: says what it hears, in pieces, asks back if it hears "ask".
// usage: a2a_agent.mjs <folder with node_modules> <port>

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, port] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${folder}/`));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: express } = await load('express');
const { Role, TaskState } = await load('@a2a-js/sdk');
const { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } = await load('@a2a-js/sdk/server');
const { agentCardHandler, jsonRpcHandler, UserBuilder } = await load('@a2a-js/sdk/server/express');

const part = (value) => ({ content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' });

class Echo {
    async execute(context, bus) {
        const { taskId, contextId, userMessage } = context;
        const heard = userMessage.parts.map((one) => one.content?.value ?? '').join('');
        const isAnswer = context.task !== undefined;
        const status = (state, message) => bus.publish(AgentEvent.statusUpdate({ taskId, contextId,
            status: { state, message, timestamp: new Date().toISOString() }, metadata: undefined }));
        const say = (words) => ({ messageId: crypto.randomUUID(), role: Role.ROLE_AGENT, parts: [part(words)], taskId,
            contextId, extensions: [], referenceTaskIds: [], metadata: undefined });
        // The SDK wants a task at the beginning of each stream.
        bus.publish(AgentEvent.task(context.task ?? { id: taskId, contextId, history: [userMessage], artifacts: [],
            status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined },
            metadata: undefined }));
        status(TaskState.TASK_STATE_WORKING);
        if (heard.startsWith('ask') && !isAnswer) {
            status(TaskState.TASK_STATE_INPUT_REQUIRED, say('Which one?'));
        } else if (heard.startsWith('fail')) {
            status(TaskState.TASK_STATE_FAILED, say('It is out of ink'));
        } else {
            ['It ', 'heard: ', heard].forEach((word, number) => bus.publish(AgentEvent.artifactUpdate({ taskId,
                contextId, artifact: { artifactId: 'said', name: 'said', description: '', parts: [part(word)],
                    extensions: [], metadata: undefined },
                append: number > 0, lastChunk: number === 2, metadata: undefined })));
            status(TaskState.TASK_STATE_COMPLETED);
        }
        bus.finished();
    }
    async cancelTask() {}
}

const card = { name: 'echo', description: 'Says what it hears', version: '1', provider: undefined,
    supportedInterfaces: [{ url: `http://127.0.0.1:${port}/rpc`, protocolBinding: 'JSONRPC', tenant: '',
        protocolVersion: '1.0' }],
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'], skills: [], signatures: [] };
const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Echo());
const app = express();
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: handler }));
app.use('/rpc', jsonRpcHandler({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication }));
app.listen(Number(port), '127.0.0.1');
