#include <weft/testing/endpoint/scripted_endpoint_request.hpp>

#include <weft/base/utf8.hpp>

#include <boost/beast/core/string.hpp>
#include <boost/json/serialize.hpp>

namespace weft::testing {

namespace {

namespace json = boost::json;

constexpr std::size_t described_bytes_max = 120;

const json::value* member(const json::value& of, std::string_view name) noexcept
{
    const json::object* const object = of.if_object();
    return object ? object->if_contains({name.data(), name.size()}) : nullptr;
}

std::string_view string_member(const json::value& of, std::string_view name) noexcept
{
    const json::value* const found = member(of, name);
    if (!found || !found->is_string()) return {};
    return {found->get_string().data(), found->get_string().size()};
}

bool flag_member(const json::value& of, std::string_view name) noexcept
{
    const json::value* const found = member(of, name);
    return found && found->is_bool() && found->get_bool();
}

// The content of a message is a string or a list of parts, of which those with text count.
std::string text_of_message(const json::value& message)
{
    std::string text{string_member(message, "content")};
    const json::value* const content = member(message, "content");
    if (!content || !content->is_array()) return text;
    for (const json::value& part : content->get_array()) text += string_member(part, "text");
    return text;
}

// A request without messages has none, and is no reason to throw in a rule's condition.
const json::array& messages_of(const json::value& body)
{
    static const json::array none;
    const json::value* const found = member(body, "messages");
    return found && found->is_array() ? found->get_array() : none;
}

}  // namespace

std::string_view scripted_endpoint_request::header(std::string_view name) const noexcept
{
    for (const auto& [key, value] : headers)
        if (boost::beast::iequals(key, {name.data(), name.size()})) return value;
    return {};
}

bool scripted_endpoint_request::is_chat() const noexcept
{
    const std::string_view path = std::string_view{target}.substr(0, target.find('?'));
    return method == "POST" && path.ends_with("/chat/completions");
}

std::string_view scripted_endpoint_request::model() const noexcept
{
    return string_member(json, "model");
}

bool scripted_endpoint_request::wants_stream() const noexcept
{
    return flag_member(json, "stream");
}

// Of a stream only: a whole answer has the usage in any case.
bool scripted_endpoint_request::wants_usage() const noexcept
{
    const json::value* const options = member(json, "stream_options");
    return options && flag_member(*options, "include_usage");
}

std::string scripted_endpoint_request::system_text() const
{
    return text_of("system") + text_of("developer");
}

std::string scripted_endpoint_request::last_user_text() const
{
    std::string last;
    for (const json::value& message : messages_of(json))
        if (string_member(message, "role") == "user") last = text_of_message(message);
    return last;
}

std::string scripted_endpoint_request::text_of(std::string_view role) const
{
    std::string all;
    for (const json::value& message : messages_of(json))
        if (string_member(message, "role") == role) all += text_of_message(message) + '\n';
    return all;
}

// One line for the message of a test that has failed: the whole body would hide what matters.
std::string scripted_endpoint_request::described() const
{
    std::string text = "request " + std::to_string(number) + " (" + method + ' ' + target;
    if (!model().empty()) text.append(", model \"").append(model()).append("\"");
    const std::string user = last_user_text();
    const std::string_view shown = truncated_utf8(user, described_bytes_max);
    if (!shown.empty()) {
        text += ", user: " + json::serialize(json::string_view{shown});
        if (shown.size() < user.size()) text += "…";
    }
    return text + ")";
}

}  // namespace weft::testing
