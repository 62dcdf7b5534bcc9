#pragma once

#include "printed_errc.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/model_error.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fake_models {

using namespace std::chrono_literals;

/** What a fake model does with one call: waits, delivers pieces, and then answers or fails. */
struct fake_call {
    std::chrono::nanoseconds first_token = 100ms;
    std::chrono::nanoseconds gap = 10ms;  ///< Between the pieces.
    std::vector<std::string> pieces{"Hel", "lo"};
    std::optional<weft::model_failure> failure{};
    weft::usage usage{};
    weft::rate_limits rate_limits{};
    bool announces = true;  ///< Calls `on_started` first of all.
};

/** A failure as a provider's status makes it. */
inline weft::model_failure status(int code, std::optional<std::chrono::milliseconds> retry_after = {})
{
    weft::model_failure failure;
    failure.phase = weft::model_phase::response;
    failure.status = code;
    failure.code = code == 429   ? weft::errc::model_rate_limited
                   : code == 401 ? weft::errc::model_unauthorized
                   : code == 402 ? weft::errc::model_quota_exhausted
                   : code == 404 ? weft::errc::model_not_found
                   : code >= 500 ? weft::errc::model_overloaded
                                 : weft::errc::model_rejected;
    failure.is_transient = weft::is_transient(failure.code);
    failure.detail = "status " + std::to_string(code);
    failure.request_id = "request-" + std::to_string(code);
    failure.retry_after = retry_after;
    return failure;
}

/** A connection that was lost. */
inline weft::model_failure lost(weft::model_phase phase = weft::model_phase::request)
{
    weft::model_failure failure;
    failure.phase = phase;
    failure.code = weft::errc::connection_lost;
    failure.is_transient = true;
    failure.detail = "the peer hung up";
    return failure;
}

/** A call that fails before it says anything. */
inline fake_call fails(weft::model_failure failure)
{
    fake_call call;
    call.pieces.clear();
    call.failure = std::move(failure);
    return call;
}

inline weft::usage used(std::int64_t input, std::int64_t output)
{
    weft::usage result;
    result.input = weft::tokens{input};
    result.output = weft::tokens{output};
    return result;
}

/** Answers by a function of the number of the call, from 0, and of the request. */
class fake_model final : public weft::chat_model {
public:
    using behaviour = std::function<fake_call(std::size_t number, const weft::chat_request& request)>;

    explicit fake_model(behaviour how, std::string label = "a fake") : how_{std::move(how)}, label_{std::move(label)} {}

    /** Does the calls in turn, the last one again and again. */
    static std::shared_ptr<fake_model> doing(std::vector<fake_call> calls, std::string label = "a fake")
    {
        auto how = [calls = std::move(calls)](std::size_t number, const weft::chat_request&) {
            return calls[std::min(number, calls.size() - 1)];
        };
        return std::make_shared<fake_model>(how, std::move(label));
    }

    [[nodiscard]] std::string_view label() const noexcept override { return label_; }

    std::vector<weft::chat_request> asked;
    std::vector<weft::time_point> asked_at;
    std::size_t running = 0;
    std::size_t cut_short = 0;  ///< Calls that were stopped or destroyed, or whose sink threw.

private:
    struct count {
        explicit count(fake_model& owner) : owner{owner} { ++owner.running; }
        count(const count&) = delete;
        count& operator=(const count&) = delete;
        ~count()
        {
            --owner.running;
            owner.cut_short += is_whole ? 0U : 1U;
        }
        fake_model& owner;
        bool is_whole = false;
    };

    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink& sink) override
    {
        count running_call{*this};
        weft::serial_loop& loop = co_await weft::this_task::loop();
        fake_call call = how_(asked.size(), request);
        const std::string id = "reply-" + std::to_string(asked.size());
        asked_at.push_back(loop.now());
        asked.push_back(std::move(request));
        if (call.announces) sink.on_started(id, label_);
        co_await weft::sleep_for(call.first_token);
        std::string text;
        for (const std::string& piece : call.pieces) {
            if (!text.empty()) co_await weft::sleep_for(call.gap);
            text += piece;
            sink.on_text(piece);
            if (sink.is_full()) co_await sink.wait_for_room();
        }
        sink.on_usage(call.usage);
        running_call.is_whole = true;
        weft::chat_reply reply;
        reply.id = id;
        reply.model = label_;
        reply.message = weft::message::assistant(std::move(text));
        reply.usage = call.usage;
        reply.rate_limits = call.rate_limits;
        reply.stop = call.failure ? weft::stop_reason::unfinished : weft::stop_reason::stop;
        if (!call.failure) co_return reply;
        weft::model_failure failure = *call.failure;
        failure.partial = std::move(reply);
        failure.has_delivered = !call.pieces.empty();
        throw weft::model_error{label_, std::move(failure)};
    }

    behaviour how_;
    std::string label_;
};

/** Writes down everything, `|` between the pieces. */
class noting_sink final : public weft::chat_sink {
public:
    void on_started(std::string_view id, std::string_view) override { note("<", id, ">"); }
    void on_text(std::string_view piece) override
    {
        if (throws_at && seen.find(*throws_at) != std::string::npos) throw weft::error{weft::errc::timeout, "a sink"};
        note("", piece, "|");
    }
    void on_tool_call(std::size_t, std::string_view id, std::string_view name) override { note(id, ":", name); }
    void on_tool_arguments(std::size_t, std::string_view piece) override { note("(", piece, ")"); }
    void on_reasoning(std::string_view piece) override { note("{", piece, "}"); }
    void on_refusal(std::string_view piece) override { note("[", piece, "]"); }
    void on_usage(const weft::usage& so_far) override { last_usage = so_far; }
    void on_retracted() override { note("-", "", ""); }

    std::string seen;
    weft::usage last_usage;
    std::optional<std::string> throws_at;  ///< At the first piece after this was seen.

private:
    void note(std::string_view a, std::string_view b, std::string_view c) { seen.append(a).append(b).append(c); }
};

/** How a call ended. */
struct ended_call {
    ended_call() {}
    std::optional<weft::chat_reply> reply;
    std::optional<weft::model_failure> failure;
    weft::errc code{};
    std::string what;
    std::chrono::nanoseconds took{};
};

inline weft::chat_request question(std::string text = "Why?")
{
    weft::chat_request request;
    request.user(std::move(text));
    return request;
}

/** Asks and throws nothing. */
inline weft::task<ended_call> ask(weft::chat_model& model, weft::chat_request request, weft::chat_sink& sink)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point began = loop.now();
    ended_call ended;
    try {
        weft::chat_reply reply = co_await model.reply(std::move(request), sink);
        ended.reply.emplace(std::move(reply));
    } catch (const weft::model_error& e) {
        ended.failure = e.failure();
        ended.code = e.code();
        ended.what = e.what();
    } catch (const weft::error& e) {
        ended.code = e.code();
        ended.what = e.what();
    }
    ended.took = loop.now() - began;
    co_return ended;
}

inline weft::task<ended_call> ask(weft::chat_model& model, weft::chat_request request = question())
{
    weft::no_sink sink;
    ended_call ended = co_await ask(model, std::move(request), sink);
    co_return ended;
}

/** The text of a reply; the error's text if there is none. */
inline std::string text_of(const ended_call& ended) { return ended.reply ? ended.reply->message.text() : ended.what; }

}  // namespace fake_models
