#include "sampling_refusal.hpp"

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** What has been learnt, by the names of models that requests have; empty: the one of the endpoint. */
class sampling_refusal::memory {
public:
    void add(const std::string& model)
    {
        const std::lock_guard lock{mutex_};
        if (models_.size() < models_max) models_.insert(model);
    }
    bool has(const std::string& model)
    {
        const std::lock_guard lock{mutex_};
        return models_.contains(model);
    }

private:
    static constexpr std::size_t models_max = 1'000;  // names may come from outside

    std::mutex mutex_;
    std::set<std::string> models_;
};

namespace {

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
    chat_reply reply = co_await ask(without_sampling(std::move(request)), sink);
    warn_of_sampling(reply);
    co_return reply;
}

}  // namespace

task<chat_reply> sampling_refusal::ask_and_learn(std::shared_ptr<memory> refused, chat_request request,
                                                 chat_sink& sink, ask_function ask)
{
    try {
        chat_reply reply = co_await ask(request, sink);
        co_return reply;
    } catch (const model_error& failed) {
        if (!refuses_sampling(failed)) throw;
    }
    refused->add(request.model);
    chat_reply reply = co_await ask_plainly(std::move(request), sink, std::move(ask));
    ++reply.attempts;  // the one that was refused
    co_return reply;
}

bool refuses_sampling(const model_error& failed)
{
    const model_failure& what = failed.failure();
    if (what.code != errc::model_rejected || what.has_delivered) return false;
    const auto says = [&](std::string_view word) { return what.detail.find(word) != std::string::npos; };
    const bool is_about_it = says("temperature") || says("top_p");
    return is_about_it && (what.provider_code.starts_with("unsupported") || says("support") || says("deprecated"));
}

sampling_refusal::sampling_refusal() : refused_{std::make_shared<memory>()} {}

task<chat_reply> sampling_refusal::ask(chat_request request, chat_sink& sink, ask_function ask) const
{
    if (!request.temperature && !request.top_p) return ask(std::move(request), sink);
    if (refused_->has(request.model)) return ask_plainly(std::move(request), sink, std::move(ask));
    return ask_and_learn(refused_, std::move(request), sink, std::move(ask));
}

}  // namespace weft
