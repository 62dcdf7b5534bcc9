#include "node_model.hpp"

#include "agent/guard/forwarding_sink.hpp"
#include "agent/guard/guarded_reply.hpp"

#include <weft/async/wait/deadline.hpp>
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

/** Shows that something comes, also while guardrails hold it back. */
class living_sink final : public forwarding_sink {
public:
    living_sink(chat_sink& target, life_sign* life) noexcept : forwarding_sink{target}, life_{life} {}
    void on_text(std::string_view piece) override
    {
        if (life_) life_->show();
        forwarding_sink::on_text(piece);
    }

private:
    life_sign* life_;
};

/** The model of a node, for guardrails around it. What it is made of outlives it. */
class model_in_node final : public reply_source {
public:
    model_in_node(chat_model& model, node_context& node, const model_call& how)
        : model_{model}, node_{node}, how_{how}
    {
        how_.guards = nullptr;
    }
    task<chat_reply> ask(chat_request request, chat_sink& sink) override
    {
        living_.emplace(sink, how_.life);
        how_.into = &*living_;
        return ask_in_node(model_, std::move(request), node_, how_);
    }

private:
    chat_model& model_;
    node_context& node_;
    model_call how_;
    std::optional<living_sink> living_;
};

/** Asks with guardrails around the call. All but the request outlives the task. */
task<chat_reply> ask_guarded_model(chat_model& model, chat_request request, node_context& node, const model_call& how)
{
    model_in_node source{model, node, how};
    to_watchers watchers{node, how};
    chat_sink& sink = how.into ? *how.into : watchers;
    const guard_place place{"node '" + std::string{node.node()} + "'", &node};
    guarded_request asked{std::move(request), how.input};
    chat_reply reply = co_await guarded_reply(source, std::move(asked), *how.guards, place, sink);
    co_return reply;
}

}  // namespace

model_asking::model_asking(chat_model& model, chat_request request, node_context& node, const model_call& how)
    : watchers_{node, how}, tells_{!how.guards && !(how.once && node.host().keeps_effects())}
{
    if (!tells_) {
        asking_ = how.guards ? ask_guarded_model(model, std::move(request), node, how)
                             : ask_model_once(model, std::move(request), node, how);
        return;
    }
    request.budget = node.budget();
    asking_ = model.reply(std::move(request), how.into ? *how.into : watchers_);
    if (how.limit.count() > 0) asking_ = with_deadline(std::move(asking_), how.limit);
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
    if (how.guards) return ask_guarded_model(model, std::move(request), node, how);
    if (how.once && node.host().keeps_effects()) return ask_model_once(model, std::move(request), node, how);
    return ask_model(model, std::move(request), node, how);
}

}  // namespace weft::agent_detail
