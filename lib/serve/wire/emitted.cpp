#include "emitted.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

namespace weft::serve_detail {

bool is_model_text(std::string_view label) noexcept
{
    return label == agent_event::output || label == agent_event::internal_output ||
           label == agent_event::message_delta || label == agent_event::delta;
}

boost::json::value emitted_value(const run_event& event)
{
    // Nodes in C++ and in files emit text; those that mean JSON write it.
    try {
        return parse_json(event.text);
    } catch (const error&) {
        return boost::json::value(event.text);
    }
}

}  // namespace weft::serve_detail
