#pragma once

#include <weft/agent/playbook_graph.hpp>
#include <weft/agent/playbook_text.hpp>
#include <weft/async/task.hpp>
#include <weft/graph/command.hpp>
#include <weft/graph/subgraph.hpp>
#include <weft/tool/tool_runner.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

class node_context;

namespace agent_detail {

/** What all nodes of a playbook share; never changed. */
struct playbook_parts {
    playbook_definition of;
    playbook_options options;
    std::optional<graph> agent;
    std::shared_ptr<chat_model> model;
    std::optional<tool_runner> runner;
};

/** The work of a node of a playbook that is no sub-workflow. */
class playbook_step {
public:
    playbook_step(std::shared_ptr<const playbook_parts> parts, std::size_t index)
        : parts_{std::move(parts)}, index_{index}
    {
    }
    [[nodiscard]] task<command> operator()(node_context& node) const;

private:
    std::shared_ptr<const playbook_parts> parts_;
    std::size_t index_;
};

/** A sub-workflow as the work of a node. */
[[nodiscard]] subgraph playbook_inside(std::shared_ptr<const playbook_parts> parts, std::size_t index, graph inner);

}  // namespace agent_detail
}  // namespace weft
