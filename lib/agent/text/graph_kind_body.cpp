#include "graph_kind_body.hpp"

#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node_context.hpp>

#include <chrono>
#include <utility>

namespace weft::agent_detail {

namespace {

class described_graph final : public node_body {
public:
    described_graph(subgraph inside, graph_kind_description about, graph_kind_work work)
        : node_body{true, work.may_command}, inside_{std::move(inside)}, about_{std::move(about)},
          before_{std::move(work.before)}
    {
    }
    void run(node_context&, command&) const override { BOOST_ASSERT_MSG(false, "a graph is made, not run"); }
    node_task make(node_context& context) const override
    {
        if (const auto trace = context.trace(); trace && trace->recorder)
            trace->recorder->name_agent(trace->place().span, context.node());
        return node_task{before_ ? work(*this, context) : context.host().run_inside(context, inside_)};
    }
    const subgraph* inner() const noexcept override { return &inside_; }
    bool describe(node_spec& into, const state_layout&) const override
    {
        into.kind = about_.kind;
        into.settings = about_.settings;
        if (about_.writes) into.writes = about_.writes;
        if (about_.reads) into.reads = about_.reads;
        return true;
    }

private:
    static task<command> work(const described_graph& self, node_context& node)
    {
        co_await self.before_(node);
        co_return co_await node.host().run_inside(node, self.inside_);
    }

    subgraph inside_;
    graph_kind_description about_;
    std::function<task<void>(node_context&)> before_;
};

}  // namespace

std::shared_ptr<const node_body> graph_kind_body(subgraph inside, graph_kind_description about, graph_kind_work work)
{
    return std::make_shared<const described_graph>(std::move(inside), std::move(about), std::move(work));
}

void wait_for_graph(node_request& request)
{
    if (request.options().timeout.count() == 0) request.options().timeout = std::chrono::hours{24 * 365};
}

}  // namespace weft::agent_detail
