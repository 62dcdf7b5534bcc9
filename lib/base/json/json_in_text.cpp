#include <weft/base/json/json_in_text.hpp>

#include <weft/base/json.hpp>

#include <boost/json/stream_parser.hpp>

namespace weft {

namespace {

constexpr std::size_t braces_max = 100;  // an answer full of them must not take for ever

/** The text of the JSON object with which `text` begins; empty if it does not begin with one. */
std::string_view object_at(std::string_view text)
{
    boost::json::parse_options options;
    options.max_depth = json_depth_max;
    boost::json::stream_parser parser{{}, options};
    boost::system::error_code failed;
    const std::size_t size = parser.write_some(text.data(), text.size(), failed);
    return failed || !parser.done() ? std::string_view{} : text.substr(0, size);
}

}  // namespace

std::optional<boost::json::object>
find_json_object(std::string_view text, const std::function<bool(const boost::json::object&)>& is_wanted)
{
    std::size_t tried = 0;
    for (std::size_t at = text.find('{'); at != std::string_view::npos && tried < braces_max;
         at = text.find('{', at + 1), ++tried) {
        const std::string_view found = object_at(text.substr(at));
        if (found.empty()) continue;
        boost::json::value object = parse_json(found);
        if (is_wanted(object.get_object())) return std::move(object.get_object());
    }
    return std::nullopt;
}

}  // namespace weft
