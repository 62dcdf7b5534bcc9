#include <weft/graph/edge/edge.hpp>

namespace weft {

std::string_view name_of(edge_kind kind) noexcept
{
    switch (kind) {
    case edge_kind::plain: return "plain";
    case edge_kind::on_success: return "on_success";
    case edge_kind::on_failure: return "on_failure";
    case edge_kind::on_budget: return "on_budget";
    case edge_kind::always: return "always";
    case edge_kind::when: return "when";
    case edge_kind::routed: return "routed";
    case edge_kind::labelled: return "labelled";
    case edge_kind::llm: return "llm";
    }
    return "unknown";
}

}  // namespace weft
