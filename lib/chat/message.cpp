#include <weft/chat/image.hpp>
#include <weft/chat/message.hpp>

#include <utility>

namespace weft {

namespace {

message text_message(role speaker, std::string text)
{
    message result;
    result.role = speaker;
    result.content.emplace_back(text_part{std::move(text)});
    return result;
}

template <class Part>
std::string joined(const std::vector<content_part>& content)
{
    std::string text;
    for (const content_part& part : content)
        if (const Part* found = std::get_if<Part>(&part)) text += found->text;
    return text;
}

}  // namespace

std::string_view name_of(role speaker) noexcept
{
    switch (speaker) {
    case role::system: return "system";
    case role::user: return "user";
    case role::assistant: return "assistant";
    case role::tool: break;
    }
    return "tool";
}

message message::system(std::string text)
{
    return text_message(role::system, std::move(text));
}

message message::user(std::string text)
{
    return text_message(role::user, std::move(text));
}

message message::assistant(std::string text)
{
    return text_message(role::assistant, std::move(text));
}

message message::tool_result(std::string tool_call_id, std::string text)
{
    message result = text_message(role::tool, std::move(text));
    result.tool_call_id = std::move(tool_call_id);
    return result;
}

message message::tool_error(std::string tool_call_id, std::string text)
{
    message result = tool_result(std::move(tool_call_id), std::move(text));
    result.is_error = true;
    return result;
}

std::string message::text() const
{
    return joined<text_part>(content);
}

std::string message::reasoning() const
{
    return joined<reasoning_part>(content);
}

std::string message::refusal() const
{
    return joined<refusal_part>(content);
}

image_part image_of(std::string url, std::string media_type, std::string base64, std::string detail)
{
    image_part image{.url = std::move(url), .detail = std::move(detail)};
    image_data data{std::move(media_type), std::move(base64)};
    if (data != image_data{}) image.data = std::move(data);
    return image;
}

std::string address_of(const image_part& picture)
{
    std::string address = picture.url;
    if (address.empty())
        address.append("data:").append(picture.media_type()).append(";base64,").append(picture.base64());
    return address;
}

}  // namespace weft
