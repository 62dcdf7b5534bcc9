#include <weft/graph/node/node_options.hpp>

namespace weft {

const std::shared_ptr<const node_options>& node_options_by_default()
{
    // Shared by the nodes of all graphs: most have no options of their own.
    static const auto all_default = std::make_shared<const node_options>();
    return all_default;
}

}  // namespace weft
