#include <weft/model/sampling_refusal.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace weft {

namespace {

using refusal_flag = std::shared_ptr<std::atomic<bool>>;

chat_request without_sampling(chat_request request)
{
    request.temperature.reset();
    request.top_p.reset();
    return request;
}

void warn_of_sampling(chat_reply& reply)
{
    reply.warnings.emplace_back("the model takes neither temperature nor top_p: they were left out");
}

task<chat_reply> ask_plainly(chat_request request, chat_sink& sink, sampling_refusal::ask_function ask)
{
    task<chat_reply> asking = ask(without_sampling(std::move(request)), sink);
    chat_reply reply = co_await std::move(asking);
    warn_of_sampling(reply);
    co_return reply;
}

task<chat_reply> ask_and_learn(refusal_flag was_refused, chat_request request, chat_sink& sink,
                               sampling_refusal::ask_function ask)
{
    task<chat_reply> asking = ask(request, sink);
    try {
        chat_reply reply = co_await std::move(asking);
        co_return reply;
    } catch (const model_error& failed) {
        if (!refuses_sampling(failed)) throw;
    }
    was_refused->store(true, std::memory_order_relaxed);
    task<chat_reply> again = ask_plainly(std::move(request), sink, std::move(ask));
    chat_reply reply = co_await std::move(again);
    co_return reply;
}

}  // namespace

bool refuses_sampling(const model_error& failed)
{
    const model_failure& what = failed.failure();
    if (what.code != errc::model_rejected || what.has_delivered) return false;
    const auto says = [&](std::string_view word) { return what.detail.find(word) != std::string::npos; };
    const bool is_about_it = says("temperature") || says("top_p");
    return is_about_it && (what.provider_code.starts_with("unsupported") || says("support") || says("deprecated"));
}

task<chat_reply> sampling_refusal::ask(chat_request request, chat_sink& sink, ask_function ask) const
{
    if (!request.temperature && !request.top_p) return ask(std::move(request), sink);
    if (was_refused_->load(std::memory_order_relaxed)) return ask_plainly(std::move(request), sink, std::move(ask));
    return ask_and_learn(was_refused_, std::move(request), sink, std::move(ask));
}

}  // namespace weft
