#include <weft/model/chat_model.hpp>

#include "chat_span.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace weft {

task<chat_reply> chat_model::reply_in_span(chat_request request, chat_sink& sink)
{
    model_detail::chat_span about{request, label(), sink};
    std::optional<chat_reply> reply;
    std::exception_ptr failed;
    try {
        chat_reply answered = co_await do_reply(std::move(request), about);
        reply.emplace(std::move(answered));
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed) {
        about.end(failed);
        std::rethrow_exception(failed);
    }
    about.end(*reply);
    co_return std::move(*reply);
}

}  // namespace weft
