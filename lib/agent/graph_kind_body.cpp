#include "graph_kind_body.hpp"

#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node_context.hpp>

#include <chrono>
#include <utility>

namespace weft::agent_detail {

namespace {

class described_graph final : public node_body {
public:
    described_graph(subgraph inside, graph_kind_words words, bool may_command)
        : node_body{true, may_command}, inside_{std::move(inside)}, words_{std::move(words)}
    {
    }
    void run(node_context&, command&) const override { BOOST_ASSERT_MSG(false, "a graph is made, not run"); }
    node_task make(node_context& context) const override
    {
        return node_task{context.host().run_inside(context, inside_)};
    }
    const subgraph* inner() const noexcept override { return &inside_; }
    bool describe(node_spec& into, const state_layout&) const override
    {
        into.kind = words_.kind;
        into.settings = words_.settings;
        if (words_.writes) into.writes = words_.writes;
        return true;
    }

private:
    subgraph inside_;
    graph_kind_words words_;
};

}  // namespace

std::shared_ptr<const node_body> graph_kind_body(subgraph inside, graph_kind_words words, bool may_command)
{
    return std::make_shared<const described_graph>(std::move(inside), std::move(words), may_command);
}

void wait_for_graph(node_request& request)
{
    if (request.options().timeout.count() == 0) request.options().timeout = std::chrono::hours{24 * 365};
}

}  // namespace weft::agent_detail
