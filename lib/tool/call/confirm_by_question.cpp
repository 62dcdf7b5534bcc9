#include <weft/tool/tool_runner.hpp>

#include <weft/graph/node_context.hpp>

#include <boost/json/object.hpp>

namespace weft {

task<bool> confirm_by_question(tool_invocation call, std::string reason)
{
    if (!call.context.node) co_return false;
    question asked = question::approval(reason.empty() ? "May the tool '" + call.call.name + "' be called?" : reason);
    asked.name = "confirm:" + call.call.id;
    asked.about = boost::json::object{{"tool", call.call.name}, {"arguments", std::move(call.arguments)}};
    const bool is_confirmed = co_await call.context.node->ask<bool>(std::move(asked));
    co_return is_confirmed;
}

}  // namespace weft
