#include <weft/model/decorator/cached_model.hpp>

#include <weft/async/wait/remote_signal.hpp>

#include "call_outcome.hpp"
#include "passing_sink.hpp"
#include "request_key.hpp"

#include <boost/assert.hpp>

#include <type_traits>
#include <utility>
#include <variant>

namespace weft {

namespace {

void replay_content(const content_part& part, chat_sink& sink)
{
    std::visit(
        [&](const auto& one) {
            using type = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<type, text_part>) sink.on_text(one.text);
            if constexpr (std::is_same_v<type, reasoning_part>) sink.on_reasoning(one.text);
            if constexpr (std::is_same_v<type, refusal_part>) sink.on_refusal(one.text);
        },
        part);
}

/** Gives a kept reply to a sink, as if it were written now. */
task<chat_reply> replay(std::shared_ptr<const chat_reply> kept, chat_sink& sink)
{
    sink.on_started(kept->id, kept->model);
    for (const content_part& part : kept->message.content) {
        replay_content(part, sink);
        if (sink.is_full()) co_await sink.wait_for_room();
    }
    std::size_t slot = 0;
    for (const tool_call& call : kept->message.tool_calls) {
        sink.on_tool_call(slot, call.id, call.name);
        if (!call.arguments.empty()) sink.on_tool_arguments(slot, call.arguments);
        ++slot;
    }
    chat_reply reply = *kept;
    reply.usage = {};
    reply.cost = usd_micros{};
    reply.attempts = 0;
    reply.waited = {};
    reply.rate_limits = {};
    sink.on_usage(reply.usage);
    co_return reply;
}

}  // namespace

cached_model::cached_model(std::shared_ptr<chat_model> model, reply_cache cache, cached_model_options options)
    : model_{std::move(model)}, cache_{std::move(cache)}, options_{std::move(options)}
{
    BOOST_ASSERT_MSG(model_, "a cached model needs a model to call");
    if (options_.name.empty()) options_.name = model_->label();
}

/** Makes the call, and tells those who wait for it. */
task<chat_reply> cached_model::lead(chat_request request, chat_sink& sink, reply_cache::lookup& place)
{
    const task_context& context = co_await this_task::context();
    model_detail::passing_sink passing{sink};
    model_detail::call_outcome outcome = co_await model_detail::try_call(model_, std::move(request), passing);
    if (outcome.reply) {
        place.succeed(*outcome.reply, context.loop->now());
        passing.finish();
        co_return *std::move(outcome.reply);
    }
    // A stop or a sink of this call is nothing to the others: one of them takes the lead.
    if (!passing.has_thrown() && !context.scope->stop_requested() && code_of(outcome.error) != errc::cancelled)
        place.fail(outcome.error);
    std::rethrow_exception(outcome.error);
}

task<chat_reply> cached_model::do_reply(chat_request request, chat_sink& sink)
{
    const auto bypass = request.labels.find(options_.bypass_label);
    if (bypass != request.labels.end() && bypass->second == "bypass") {
        chat_reply fresh = co_await model_->reply(std::move(request), sink);
        co_return fresh;
    }
    serial_loop& loop = co_await this_task::loop();
    const auto news = make_counted<remote_signal>();
    reply_cache::lookup place = cache_.look_up(options_.name + "\n" + request_key(request), news, loop.now());
    while (place.now_is() == reply_cache::lookup::state::waits) {
        co_await news->wait();
        place.look(loop.now());
    }
    if (place.now_is() == reply_cache::lookup::state::failed) std::rethrow_exception(place.error());
    task<chat_reply> answer;
    if (place.now_is() == reply_cache::lookup::state::found)
        answer = replay(place.reply(), sink);
    else
        answer = lead(std::move(request), sink, place);
    chat_reply reply = co_await std::move(answer);
    co_return reply;
}

}  // namespace weft
