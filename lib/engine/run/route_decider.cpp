#include <weft/engine/run/route_decider.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json/json_in_text.hpp>

#include <optional>

namespace weft {

namespace {

std::string text_of(const boost::json::object& from, std::string_view name)
{
    const boost::json::value* found = from.if_contains(name);
    return found && found->is_string() ? std::string{std::string_view{found->get_string()}} : std::string{};
}

}  // namespace

route_answer read_route_answer(std::string_view text)
{
    const auto has_target = [](const boost::json::object& object) { return !text_of(object, "target").empty(); };
    if (const std::optional<boost::json::object> found = find_json_object(text, has_target))
        return {text_of(*found, "target"), text_of(*found, "reasoning")};
    throw error{errc::invalid_json, "the answer of the model",
                "it has no JSON object with a target: " + std::string{text.substr(0, 200)}};
}

}  // namespace weft
