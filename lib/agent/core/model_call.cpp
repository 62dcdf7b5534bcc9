#include "model_call.hpp"

#include "activity_flag.hpp"
#include "agent/guard/guarded_reply.hpp"
#include "request_record.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/async/wait/with_stop.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/model/chat/forwarding_sink.hpp>
#include <weft/model/model_error.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <exception>
#include <string>
#include <utility>

namespace weft::agent_detail {

void reply_events::on_text(std::string_view piece)
{
    has_text_ = true;
    if (options_.activity) options_.activity->show();
    node_.emit(options_.text_event, piece);
    if (options_.listener) options_.listener->on_text(piece);
}

void reply_events::on_retracted()
{
    if (!std::exchange(has_text_, false)) return;
    node_.emit(agent_event::retract, {});
    if (options_.listener) options_.listener->on_retracted();
}

void emit_usage(node_context& node, const usage& used)
{
    if (used == usage{}) return;
    node.emit(agent_event::usage, [&] { return boost::json::serialize(boost::json::value_from(used)); });
}

namespace {

/** What of a reply is recorded. Event loops used to record neither id nor model: the journals of their unfinished runs
 *  must be readable, else an upgrade pays twice. */
struct recorded_reply {
    weft::message message{};
    weft::usage usage{};
    stop_reason stop = stop_reason::unfinished;
    std::optional<std::string> id{}, model{};
};
BOOST_DESCRIBE_STRUCT(recorded_reply, (), (message, usage, stop, id, model))

/** A call whose reply is recorded if it can be used. All but the request outlives it. */
class recorded_call {
public:
    recorded_call(chat_model& model, chat_request request, node_context& node, const model_call_options& options,
                  chat_sink& sink)
        : model_{model}, request_{std::move(request)}, node_{node}, options_{options}, sink_{sink}
    {
    }
    task<recorded_reply> operator()(const effect_context& effect) const { return call(*this, effect.key()); }

private:
    static task<recorded_reply> call(const recorded_call& self, std::string key)
    {
        chat_request request = self.request_;
        // The provider recognises a call that is made again after a crash by this key.
        if (request.call_id.empty()) request.call_id = std::move(key);
        model_call_options options = self.options_;
        options.guards = nullptr;
        options.is_recorded = false;
        options.sink = &self.sink_;
        model_call asking{self.model_, std::move(request), self.node_, options};
        chat_reply& reply = co_await asking;
        if (self.options_.check) self.options_.check(reply);
        recorded_reply recorded;
        recorded.message = std::move(reply.message);
        recorded.usage = reply.usage;
        recorded.stop = reply.stop;
        recorded.id = std::move(reply.id);
        recorded.model = std::move(reply.model);
        co_return recorded;
    }

    chat_model& model_;
    chat_request request_;
    node_context& node_;
    const model_call_options& options_;
    chat_sink& sink_;
};

/** Asks, once in a visit. All but the request outlives the task. */
task<chat_reply> ask_recorded(chat_model& model, chat_request request, node_context& node,
                              const model_call_options& options, chat_sink& sink)
{
    const recorded_call call{model, std::move(request), node, options, sink};
    recorded_reply recorded = co_await node.once("reply", call);
    chat_reply reply;
    reply.message = std::move(recorded.message);
    reply.usage = recorded.usage;
    reply.stop = recorded.stop;
    if (recorded.id) reply.id = std::move(*recorded.id);
    if (recorded.model) reply.model = std::move(*recorded.model);
    co_return reply;
}

/** Asks each time. All but the request outlives the task. */
task<chat_reply> ask_unrecorded(chat_model& model, chat_request request, node_context& node,
                             const model_call_options& options)
{
    model_call asking{model, std::move(request), node, options};
    chat_reply& reply = co_await asking;
    co_return std::move(reply);
}

[[nodiscard]] bool is_effect(const node_context& node, const model_call_options& options)
{
    return options.is_recorded && node.host().keeps_effects();
}

/** Shows that something comes, also while guardrails hold it back. */
class activity_showing_sink final : public forwarding_sink {
public:
    activity_showing_sink(chat_sink& target, activity_flag* activity) noexcept
        : forwarding_sink{target}, activity_{activity}
    {
    }
    void on_text(std::string_view piece) override
    {
        if (activity_) activity_->show();
        forwarding_sink::on_text(piece);
    }

private:
    activity_flag* activity_;
};

/** The model of a node, for guardrails around it. What it is made of outlives it. */
class model_in_node final : public reply_source {
public:
    model_in_node(chat_model& model, node_context& node, const model_call_options& options)
        : model_{model}, node_{node}, options_{options}
    {
        options_.guards = nullptr;
    }
    task<chat_reply> ask(chat_request request, chat_sink& sink) override
    {
        shown_.emplace(sink, options_.activity);
        options_.sink = &*shown_;
        if (is_effect(node_, options_)) return ask_recorded(model_, std::move(request), node_, options_, *shown_);
        return ask_unrecorded(model_, std::move(request), node_, options_);
    }

private:
    chat_model& model_;
    node_context& node_;
    model_call_options options_;
    std::optional<activity_showing_sink> shown_;
};

/** Asks with guardrails around the call. All but the request outlives the task. */
task<chat_reply> ask_source_with_guards(reply_source& source, chat_request request, node_context& node,
                             const model_call_options& options, chat_sink& sink)
{
    const std::string name{options.node_name.empty() ? node.node() : options.node_name};
    const guard_place place{"node '" + name + "'", &node};
    guarded_request asked{std::move(request), options.input};
    chat_reply reply = co_await guarded_reply(source, std::move(asked), *options.guards, place, sink);
    co_return reply;
}

task<chat_reply> ask_model_with_guards(chat_model& model, chat_request request, node_context& node,
                                   const model_call_options& options, chat_sink& sink)
{
    model_in_node source{model, node, options};
    chat_reply reply = co_await ask_source_with_guards(source, std::move(request), node, options, sink);
    co_return reply;
}

}  // namespace

model_call::model_call(chat_model& model, chat_request&& request, node_context& node, const model_call_options& options)
    : events_{node, options}, is_plain_{!options.guards && !is_effect(node, options)}
{
    if (!is_plain_) {
        asking_ = options.guards ? ask_model_with_guards(model, std::move(request), node, options, sink())
                                 : ask_recorded(model, std::move(request), node, options, sink());
        return;
    }
    request.budget = node.budget();
    if (!request.trace) request.trace = node.trace();
    request_ = record_request(node, request, model.label());
    asking_ = with_stop(model.reply(std::move(request), sink()), options.stop);
    if (options.limit.count() > 0) asking_ = with_deadline(std::move(asking_), options.limit);
}

model_call::model_call(reply_source& source, chat_request&& request, node_context& node,
                       const model_call_options& options)
    : events_{node, options}, is_plain_{false}
{
    asking_ = options.guards ? ask_source_with_guards(source, std::move(request), node, options, sink())
                             : source.ask(std::move(request), sink());
}

chat_sink& model_call::sink() noexcept
{
    chat_sink* const given = events_.options().sink;
    return given ? *given : events_;
}

void model_call::note_failure(const chat_reply* partial)
{
    if (events_.options().retracts_failed) sink().on_retracted();
    if (request_ != 0)
        record_failure(events_.node(), request_, std::current_exception(), partial ? &partial->message : nullptr);
    if (partial) emit_usage(events_.node(), partial->usage);
}

chat_reply& model_call::await_resume()
{
    if (!is_plain_) return asking_.result();
    try {
        chat_reply& reply = asking_.result();
        if (events_.options().activity) events_.options().activity->show();
        if (request_ != 0) record_reply(events_.node(), request_, reply);
        emit_usage(events_.node(), reply.usage);
        return reply;
    } catch (const model_error& e) {
        note_failure(&e.partial());
        throw;
    } catch (...) {
        note_failure(nullptr);
        throw;
    }
}

}  // namespace weft::agent_detail
