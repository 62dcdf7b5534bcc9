#include "request_checks.hpp"

#include <weft/base/error.hpp>

namespace weft::model_detail {

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

void require_conversation(const boost::json::array& written)
{
    if (written.empty())
        throw error{errc::invalid_configuration, "chat_request.messages",
                    "a conversation needs at least one message that is not empty, beside those of the system"};
}

}  // namespace weft::model_detail
