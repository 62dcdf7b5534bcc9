#include "node_model.hpp"

#include <weft/async/deadline.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/model/model_error.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <string>
#include <utility>

namespace weft::agent_detail {

void to_watchers::on_text(std::string_view piece)
{
    if (how_.life) how_.life->show();
    node_.emit(how_.text_kind, piece);
}

void to_watchers::on_retracted() { node_.emit("retract", {}); }

void tell_usage(node_context& node, const usage& used)
{
    if (used == usage{}) return;
    node.emit("usage", boost::json::serialize(boost::json::value_from(used)));
}

namespace {

/** What of a reply is written down. */
struct kept_reply {
    weft::message message{};
    weft::usage usage{};
    stop_reason stop = stop_reason::unfinished;
    std::string id{}, model{};
};
BOOST_DESCRIBE_STRUCT(kept_reply, (), (message, usage, stop, id, model))

/** A call whose reply is written down if it can be used. All but the request outlives it. */
class kept_call {
public:
    kept_call(chat_model& model, chat_request request, node_context& node, const model_call& how)
        : model_{model}, request_{std::move(request)}, node_{node}, how_{how}
    {
    }
    task<kept_reply> operator()(const effect_context& effect) const { return call(*this, effect.key()); }

private:
    static task<kept_reply> call(const kept_call& self, std::string key)
    {
        chat_request request = self.request_;
        if (request.call_id.empty()) request.call_id = std::move(key);
        model_call how = self.how_;
        how.once = false;
        model_asking asking{self.model_, std::move(request), self.node_, how};
        chat_reply& reply = co_await asking;
        if (self.how_.check) self.how_.check(reply);
        kept_reply kept;
        kept.message = std::move(reply.message);
        kept.usage = reply.usage;
        kept.stop = reply.stop;
        kept.id = std::move(reply.id);
        kept.model = std::move(reply.model);
        co_return kept;
    }

    chat_model& model_;
    chat_request request_;
    node_context& node_;
    const model_call& how_;
};

/** Asks, once in a visit. All but the request outlives the task. */
task<chat_reply> ask_model_once(chat_model& model, chat_request request, node_context& node, const model_call& how)
{
    const kept_call call{model, std::move(request), node, how};
    kept_reply kept = co_await node.once("reply", call);
    chat_reply reply;
    reply.message = std::move(kept.message);
    reply.usage = kept.usage;
    reply.stop = kept.stop;
    reply.id = std::move(kept.id);
    reply.model = std::move(kept.model);
    co_return reply;
}

/** Asks once. All but the request outlives the task. */
task<chat_reply> ask_model(chat_model& model, chat_request request, node_context& node, const model_call& how)
{
    model_asking asking{model, std::move(request), node, how};
    chat_reply& reply = co_await asking;
    co_return std::move(reply);
}

}  // namespace

model_asking::model_asking(chat_model& model, chat_request request, node_context& node, const model_call& how)
    : watchers_{node, how}, tells_{!(how.once && node.host().keeps_effects())}
{
    if (!tells_) {
        asking_ = ask_model_once(model, std::move(request), node, how);
        return;
    }
    request.budget = node.budget();
    asking_ = model.reply(std::move(request), how.into ? *how.into : watchers_);
    if (how.limit.count() > 0) asking_ = with_deadline(std::move(asking_), how.limit);
}

model_asking::model_asking(task<chat_reply> asking, node_context& node, const model_call& how)
    : watchers_{node, how}, asking_{std::move(asking)}, tells_{false}
{
}

chat_reply& model_asking::await_resume()
{
    if (!tells_) return asking_.result();
    try {
        chat_reply& reply = asking_.result();
        if (watchers_.how().life) watchers_.how().life->show();
        tell_usage(watchers_.node(), reply.usage);
        return reply;
    } catch (const model_error& e) {
        tell_usage(watchers_.node(), e.partial().usage);
        throw;
    }
}

task<chat_reply> ask_in_node(chat_model& model, chat_request request, node_context& node, const model_call& how)
{
    if (how.once && node.host().keeps_effects()) return ask_model_once(model, std::move(request), node, how);
    return ask_model(model, std::move(request), node, how);
}

}  // namespace weft::agent_detail
