#include <weft/graph/state/fan_out.hpp>

namespace weft {

std::string_view name_of(branch_policy::kind policy) noexcept
{
    switch (policy) {
    case branch_policy::kind::fail_all: return "fail_all";
    case branch_policy::kind::continue_others: return "continue_others";
    case branch_policy::kind::wait_all: return "wait_all";
    case branch_policy::kind::first_success: return "first_success";
    case branch_policy::kind::quorum: return "quorum";
    }
    return "";
}

}  // namespace weft
