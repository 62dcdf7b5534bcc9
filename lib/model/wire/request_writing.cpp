#include "request_writing.hpp"

#include <weft/base/error.hpp>
#include <weft/base/utf8.hpp>

namespace weft::model_detail {

namespace json = boost::json;

std::string_view asked_model(const chat_request& request, std::string_view otherwise)
{
    const std::string_view model = request.model.empty() ? otherwise : std::string_view{request.model};
    if (model.empty()) throw error{errc::invalid_configuration, "chat_request.model", "name the model to ask"};
    return model;
}

void require_messages(const chat_request& request)
{
    if (request.messages.empty())
        throw error{errc::invalid_configuration, "chat_request.messages", "a conversation needs at least one message"};
}

void require_conversation(const json::array& written)
{
    if (written.empty())
        throw error{errc::invalid_configuration, "chat_request.messages",
                    "a conversation needs at least one message that is not empty, beside those of the system"};
}

json::value clean_text(std::string_view text, const json::storage_ptr& storage)
{
    if (is_valid_utf8(text)) return json::value(json::string_view{text.data(), text.size()}, storage);
    return json::value(json::string_view{repaired_utf8(text)}, storage);
}

void put_members(json::object& out, const json::object& more)
{
    for (const json::key_value_pair& member : more) out.insert_or_assign(member.key(), member.value());
}

}  // namespace weft::model_detail
