#include <weft/engine/route_decider.hpp>

#include <weft/base/error.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/stream_parser.hpp>

namespace weft {

namespace {

/** The JSON object at the beginning of `text`, or nothing. */
boost::json::value object_at(std::string_view text)
{
    boost::json::stream_parser parser;
    boost::system::error_code failed;
    parser.write_some(text.data(), text.size(), failed);
    if (failed || !parser.done()) return nullptr;
    return parser.release();
}

std::string text_of(const boost::json::object& from, std::string_view name)
{
    const boost::json::value* found = from.if_contains(name);
    return found && found->is_string() ? std::string{std::string_view{found->get_string()}} : std::string{};
}

}  // namespace

route_answer read_route_answer(std::string_view text)
{
    constexpr std::size_t objects_max = 100;  // an answer full of braces must not take for ever
    std::size_t tried = 0;
    for (std::size_t at = text.find('{'); at != std::string_view::npos && tried < objects_max;
         at = text.find('{', at + 1), ++tried) {
        const boost::json::value found = object_at(text.substr(at));
        if (!found.is_object()) continue;
        route_answer answer{text_of(found.get_object(), "target"), text_of(found.get_object(), "reasoning")};
        if (!answer.target.empty()) return answer;
    }
    throw error{errc::invalid_json, "the answer of the model",
                "it has no JSON object with a target: " + std::string{text.substr(0, 200)}};
}

}  // namespace weft
