#include <weft/store/record/checkpoint.hpp>

namespace weft {

std::string_view name_of(checkpoint_kind kind) noexcept
{
    switch (kind) {
    case checkpoint_kind::node_start: return "node_start";
    case checkpoint_kind::node_complete: return "node_complete";
    case checkpoint_kind::pause: return "pause";
    case checkpoint_kind::cancel: return "cancel";
    case checkpoint_kind::finish: return "finish";
    case checkpoint_kind::edit: break;
    }
    return "edit";
}

}  // namespace weft
