#pragma once

#include <weft/agent/core/live_surroundings.hpp>
#include <weft/agent/node/agent_hooks.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/tool/tool_runner.hpp>
#include <weft/tool/tool_set.hpp>

#include <memory>

namespace weft {

/** What agents of files need of the program. */
struct agent_program {
    std::shared_ptr<chat_model> model = {};      ///< Null: replies are scripted or made up.
    std::shared_ptr<const tool_set> tools = {};  ///< What files can name; null: nothing.
    tool_runner_options tool_options = {};       ///< Policy and limits of tools.
    agent_hooks hooks = {};                      ///< Around all calls of agents that call tools in a loop.
    std::shared_ptr<const live_surroundings> live = {};  ///< Around agents; null: nothing.
};

}  // namespace weft
