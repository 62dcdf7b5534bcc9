#include <weft/graph/node/node_options.hpp>

#include <utility>

namespace weft {

std::shared_ptr<const node_options> share_options(node_options options)
{
    return std::make_shared<const node_options>(std::move(options));
}

const std::shared_ptr<const node_options>& node_options_by_default()
{
    // Shared by the nodes of all graphs: most have no options of their own.
    static const auto all_default = std::make_shared<const node_options>();
    return all_default;
}

}  // namespace weft
