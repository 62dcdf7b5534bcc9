#include <weft/graph/node/event_question.hpp>

#include <boost/assert.hpp>

#include <algorithm>

namespace weft {

namespace {

constexpr std::string_view event_prefix = "event:";
constexpr std::size_t event_name_max = 64;

}  // namespace

bool is_event_name(std::string_view name) noexcept
{
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
               c == '.';
    };
    return !name.empty() && name.size() <= event_name_max && std::all_of(name.begin(), name.end(), is_plain);
}

question question_for_event(std::string_view name)
{
    BOOST_ASSERT(is_event_name(name));
    question asked = question::structured("Waits for the event '" + std::string{name} + "'.", {});
    asked.name = std::string{event_prefix} + std::string{name};
    return asked;
}

std::string_view event_at(std::string_view address) noexcept
{
    address = address.substr(0, address.rfind('#'));
    if (const std::size_t slash = address.rfind('/'); slash != address.npos) address.remove_prefix(slash + 1);
    return address.starts_with(event_prefix) ? address.substr(event_prefix.size()) : std::string_view{};
}

}  // namespace weft
