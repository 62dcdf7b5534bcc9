#include <weft/store/record/journal.hpp>

namespace weft {

std::string_view name_of(effect_phase phase) noexcept
{
    switch (phase) {
    case effect_phase::intended: return "intended";
    case effect_phase::done: return "done";
    case effect_phase::failed: break;
    }
    return "failed";
}

std::string_view name_of(answer_state state) noexcept
{
    switch (state) {
    case answer_state::accepted: return "accepted";
    case answer_state::already_answered: return "already_answered";
    case answer_state::unknown: break;
    }
    return "unknown";
}

std::string_view first_part_of(std::string_view address) noexcept { return address.substr(0, address.find('/')); }

bool is_at_or_below(std::string_view address, std::string_view top) noexcept
{
    return address.starts_with(top) && (address.size() == top.size() || address[top.size()] == '/');
}

}  // namespace weft
