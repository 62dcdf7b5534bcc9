#include <weft/graph/node/subgraph.hpp>

namespace weft {

namespace {

class subgraph_node final : public node_body {
public:
    explicit subgraph_node(subgraph inner) : node_body{true, false}, inner_{std::move(inner)} {}

    void run(node_context&, command&) const override { BOOST_ASSERT_MSG(false, "a graph is made, not run"); }
    node_task make(node_context& context) const override
    {
        return node_task{context.host().run_inside(context, inner_)};
    }
    const subgraph* inner() const noexcept override { return &inner_; }

private:
    subgraph inner_;
};

}  // namespace

std::shared_ptr<const node_body> make_node_body(subgraph inner)
{
    return std::make_shared<const subgraph_node>(std::move(inner));
}

}  // namespace weft
