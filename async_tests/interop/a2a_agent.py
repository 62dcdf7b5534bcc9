"""An agent made with A2A's own SDK in Python: says what it hears, in pieces, asks back if it hears "ask".

usage: a2a_agent.py <port>; the card names JSON-RPC; `/http/…` has a card that names HTTP+JSON
"""

import asyncio
import sys

import uvicorn
from a2a.helpers.proto_helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Role, TaskState
from starlette.applications import Starlette

port = int(sys.argv[1])


class Echo(AgentExecutor):
    async def execute(self, context: RequestContext, queue: EventQueue) -> None:
        heard = context.get_user_input()
        is_answer = context.current_task is not None
        if not is_answer:
            await queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(queue, context.task_id, context.context_id)
        await updater.start_work()
        if heard.startswith("ask") and not is_answer:
            question = new_text_message("Which one?", context_id=context.context_id, task_id=context.task_id)
            return await updater.requires_input(question)
        if heard.startswith("fail"):
            return await updater.failed(new_text_message("It is out of ink", role=Role.ROLE_AGENT))
        for number, word in enumerate(("It ", "heard: ", heard)):
            await updater.add_artifact([new_text_part(word)], artifact_id="said", append=number > 0,
                                       last_chunk=number == 2)
            await asyncio.sleep(0.01)
        await updater.complete()

    async def cancel(self, context: RequestContext, queue: EventQueue) -> None:
        await TaskUpdater(queue, context.task_id, context.context_id).update_status(TaskState.TASK_STATE_CANCELED)


def card(path, binding):
    return AgentCard(
        name="echo", description="Says what it hears", version="1",
        supported_interfaces=[AgentInterface(url=f"http://127.0.0.1:{port}{path}", protocol_binding=binding,
                                             protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=True), default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="echo", description="Says what it hears", tags=["echo"])])


def handler(of):
    return DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=of)


by_rpc = card("/rpc", "JSONRPC")
by_http = card("/http", "HTTP+JSON")
routes = create_agent_card_routes(by_rpc) + create_jsonrpc_routes(handler(by_rpc), "/rpc", enable_v0_3_compat=True)
routes += create_agent_card_routes(by_http, card_url="/http/.well-known/agent-card.json")
routes += create_rest_routes(handler(by_http), path_prefix="/http")
uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=port, log_level="warning")
