#include <weft/model/chat/reply_text.hpp>

#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>
#include <weft/model/chat/piece_buffer.hpp>

#include <utility>

namespace weft {

namespace {

void refuse_what_is_void(const piece_buffer& pieces, const chat_model& model)
{
    if (!pieces.is_void()) return;
    throw error{errc::invalid_model_reply, std::string{model.label()},
                "the reply broke off and begins anew, and what was read of it is void: read the whole reply, or "
                "leave `restarts_after_tokens` out"};
}

task<void> ask(chat_model& model, chat_request request, piece_buffer& to)
{
    const chat_reply whole = co_await model.reply(std::move(request), to);
}

}  // namespace

async_generator<std::string> reply_text(std::shared_ptr<chat_model> model, chat_request request)
{
    const task_context& context = co_await this_task::context();
    piece_buffer buffer;
    scope call{context};
    call.spawn(fill(buffer, ask(*model, std::move(request), buffer)));
    for (;;) {
        while (buffer.waits()) co_await buffer.filled();
        refuse_what_is_void(buffer, *model);
        if (!buffer.has_piece()) break;
        std::string piece = buffer.take();
        co_yield piece;
    }
    co_await call.join();
}

}  // namespace weft
