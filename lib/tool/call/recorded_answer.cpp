#include "recorded_answer.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/chat/image.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <optional>
#include <string>
#include <vector>

namespace weft {

BOOST_DESCRIBE_ENUM(tool_status, success, runtime_failure, invalid_arguments, unknown_tool, timeout, policy_denied,
                    cancelled, skipped, limit_reached, remote)

}  // namespace weft

namespace weft::tool_detail {

namespace json = boost::json;

namespace {

struct recorded_image {
    std::string url;
    std::string media_type;
    std::string data;
    std::string detail;
};
BOOST_DESCRIBE_STRUCT(recorded_image, (), (url, media_type, data, detail))

recorded_image recorded(const image_part& image)
{
    return {image.url, std::string{image.media_type()}, std::string{image.base64()}, image.detail};
}

image_part read(recorded_image& image)
{
    return image_of(std::move(image.url), std::move(image.media_type), std::move(image.data), std::move(image.detail));
}

/** One of the three. */
struct recorded_content {
    std::optional<std::string> text;
    std::optional<recorded_image> image;
    std::optional<std::vector<json::value>> json;  ///< One value, which may be null.
};
BOOST_DESCRIBE_STRUCT(recorded_content, (), (text, image, json))

struct recorded_write {
    std::string key;
    std::optional<bool> overwrites;
    std::optional<std::vector<json::value>> value;  ///< One value; none if the key is transient.
};
BOOST_DESCRIBE_STRUCT(recorded_write, (), (key, overwrites, value))

struct recorded_answer {
    tool_status status = tool_status::success;
    std::int64_t attempts = 1;
    std::vector<recorded_content> content;
    std::optional<bool> is_error;
    std::vector<recorded_write> writes;
    std::optional<std::string> go_to;
    std::optional<json::object> metadata;
};
BOOST_DESCRIBE_STRUCT(recorded_answer, (), (status, attempts, content, is_error, writes, go_to, metadata))

recorded_content recorded(const tool_content& content)
{
    recorded_content part;
    if (const auto* text = std::get_if<text_part>(&content)) part.text = text->text;
    else if (const auto* image = std::get_if<image_part>(&content)) part.image = recorded(*image);
    else part.json = std::vector<json::value>{std::get<json_part>(content).value};
    return part;
}

tool_content read(recorded_content& part)
{
    if (part.text) return text_part{std::move(*part.text)};
    if (part.image) return read(*part.image);
    if (!part.json || part.json->size() != 1) throw error{errc::unexpected_json, "$.content", "a part says nothing"};
    return json_part{std::move(part.json->front())};
}

const value_type& type_of(const key_type& key, bool overwrites) { return overwrites ? *key.value : *key.update; }

recorded_write recorded(const state_update::item& item)
{
    recorded_write write;
    write.key = item.key.name;
    write.overwrites = item.is_overwrite;
    const value_type& type = type_of(*item.key.type, item.is_overwrite);
    if (item.value && type.to_json) write.value = std::vector<json::value>{type.to_json(*item.value)};
    return write;
}

state_update::item read(const recorded_write& write, const node_context& node)
{
    const std::uint32_t slot = node.layout().find(write.key);
    const std::string where = "node '" + std::string{node.node()} + "', key '" + write.key + "'";
    if (slot == state_layout::none)
        throw error{errc::unknown_state_key, where, "a tool wrote it before, and the graph does not declare it"};
    const auto& declared = node.layout()[slot];
    const bool overwrites = write.overwrites.value_or(false);
    const value_type& type = type_of(*declared.type, overwrites);
    if (!write.value || write.value->size() != 1 || !type.from_json)
        throw error{errc::state_conversion, where,
                    "a tool wrote it before, and a transient key is not kept: the call was made, its result is lost"};
    return {{declared.name, hash_of_name(declared.name), declared.type}, type.from_json(write.value->front()),
            overwrites};
}

}  // namespace

json::object to_record(const tool_answer& answer)
{
    recorded_answer all;
    all.status = answer.status;
    all.attempts = answer.attempts;
    for (const tool_content& content : answer.result.content) all.content.push_back(recorded(content));
    if (answer.result.is_error) all.is_error = true;
    state_update update = answer.result.update;
    for (const state_update::item& item : update.items()) all.writes.push_back(recorded(item));
    if (!answer.result.go_to.empty()) all.go_to = answer.result.go_to;
    if (!answer.result.metadata.empty()) all.metadata = answer.result.metadata;
    return to_json(all).as_object();
}

void read_record(const json::object& from, tool_answer& answer, const node_context& node)
{
    auto all = from_json<recorded_answer>(from);
    tool_result result;
    for (recorded_content& part : all.content) result.content.push_back(read(part));
    result.is_error = all.is_error.value_or(false);
    for (const recorded_write& write : all.writes) result.update.items().push_back(read(write, node));
    result.go_to = std::move(all.go_to).value_or("");
    result.metadata = std::move(all.metadata).value_or(json::object{});
    answer.status = all.status;
    answer.attempts = static_cast<unsigned>(all.attempts);
    answer.result = std::move(result);
}

}  // namespace weft::tool_detail
