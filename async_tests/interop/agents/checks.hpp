#pragma once

// What the agents are made to do against a mock server, one function for each of them.

#include "mock_server.hpp"

#include <string>
#include <vector>

namespace interop::agents {

void check_turn_agent(mock_server& server);
void check_agent_chat(mock_server& server);
void check_event_loop(mock_server& server);
void check_own_judge(mock_server& server);
void check_react_agent(mock_server& server);
void check_structured_answer(mock_server& server);
void check_team(mock_server& server);
void check_supervisor(mock_server& server);
void check_debate(mock_server& server);
/** @param program   That starts the MCP server "everything" on its standard input and output. */
void check_mcp_tools(mock_server& server, const std::vector<std::string>& program);
/** Anthropic's models only. */
void check_thinking(mock_server& server);
/** Results of Anthropic's API stand first in the message behind their calls, and speakers take turns. */
void check_anthropic_wire(const mock_server& server);

/** 429, 500, streams that break off. */
void check_failures(mock_server& server);
/** Agents that get over such things. */
void check_recovery(mock_server& server);
/** Runs that are stopped in the middle of a stream. */
void check_stops(mock_server& server);

}  // namespace interop::agents
