#include <weft/agent/ask_agent.hpp>

#include <weft/agent/react_agent.hpp>
#include <weft/engine/engine.hpp>

namespace weft {

task<std::string> ask_agent(graph agent, std::string text, run_options options)
{
    const engine runs{std::move(agent)};
    run_request request{react_messages, message::user(std::move(text))};
    request.options(std::move(options));
    const run_result result = co_await runs.run(std::move(request));
    result.throw_if_failed();
    co_return result.get(react_answer);
}

}  // namespace weft
