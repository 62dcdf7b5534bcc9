#pragma once

/** Agents: models that answer, call tools, work together and remember, as graphs and as nodes of graphs.
 *
 *  Beside <weft/weft.hpp>, which runs graphs, and <weft/models.hpp>. Links with `weft::agent`. Which agent for what:
 *  docs/AGENTS.md. */

#include <weft/agent/agent_session.hpp>
#include <weft/agent/agent_team.hpp>
#include <weft/agent/ask_agent.hpp>
#include <weft/agent/conversation/compaction.hpp>
#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/document_tools.hpp>
#include <weft/agent/event_loop.hpp>
#include <weft/agent/guard/guard_tools.hpp>
#include <weft/agent/guard/guarded_model.hpp>
#include <weft/agent/guard/guardrail.hpp>
#include <weft/agent/guard/ready_guardrails.hpp>
#include <weft/agent/human_node.hpp>
#include <weft/agent/llm_node.hpp>
#include <weft/agent/memory/document_index.hpp>
#include <weft/agent/memory/semantic_items.hpp>
#include <weft/agent/memory_tools.hpp>
#include <weft/agent/node/agent_hooks.hpp>
#include <weft/agent/node/judge.hpp>
#include <weft/agent/pattern/pattern_concurrent.hpp>
#include <weft/agent/pattern/pattern_debate.hpp>
#include <weft/agent/pattern/pattern_map_reduce.hpp>
#include <weft/agent/pattern/pattern_plan.hpp>
#include <weft/agent/pattern/pattern_sequence.hpp>
#include <weft/agent/react_agent.hpp>
#include <weft/agent/supervisor.hpp>
#include <weft/agent/turn_agent.hpp>
