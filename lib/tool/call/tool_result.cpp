#include <weft/tool/tool_result.hpp>

#include <weft/base/json/json_text.hpp>

namespace weft {

namespace {

std::string readable_text(const text_part& part) { return part.text; }

std::string readable_text(const json_part& part)
{
    if (const boost::json::string* const text = part.value.if_string()) return {text->data(), text->size()};
    return to_json_text(part.value, json_spacing::written);
}

std::string readable_text(const image_part& part)
{
    return "[image: " + std::string{part.url.empty() ? part.media_type() : part.url} + "]";
}

}  // namespace

tool_result tool_result::text(std::string words)
{
    tool_result result;
    result.content.emplace_back(text_part{std::move(words)});
    return result;
}

tool_result tool_result::json(boost::json::value value)
{
    tool_result result;
    result.content.emplace_back(json_part{std::move(value)});
    return result;
}

tool_result tool_result::error(std::string words)
{
    tool_result result = text(std::move(words));
    result.is_error = true;
    return result;
}

std::string tool_result::readable() const
{
    if (content.size() == 1) return std::visit([](const auto& one) { return readable_text(one); }, content.front());
    std::string whole;
    for (const tool_content& part : content) {
        if (!whole.empty()) whole += '\n';
        whole += std::visit([](const auto& one) { return readable_text(one); }, part);
    }
    return whole;
}

tool_result&& tool_result::add(tool_content part) && { return content.push_back(std::move(part)), std::move(*this); }

tool_result&& tool_result::hand_over(std::string node) && { return go_to = std::move(node), std::move(*this); }

}  // namespace weft
