#include "guarded_reply.hpp"

#include "held_reply.hpp"

#include <weft/async/join.hpp>
#include <weft/model/chat/forwarding_sink.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft::agent_detail {

namespace {

/** Hands nothing on but what a reply costs. */
class quiet_sink final : public chat_sink {
public:
    explicit quiet_sink(chat_sink& target) noexcept : target_{target} {}
    void on_usage(const usage& so_far) override { target_.on_usage(so_far); }

private:
    chat_sink& target_;
};

/** Hands everything on and remembers the text. */
class remembering_sink final : public forwarding_sink {
public:
    using forwarding_sink::forwarding_sink;
    void on_text(std::string_view piece) override
    {
        said.append(piece);
        forwarding_sink::on_text(piece);
    }
    void on_retracted() override
    {
        said.clear();
        forwarding_sink::on_retracted();
    }

    std::string said;
};

/** Collects the text for guardrails that check it piece by piece, and passes on what they let through. */
class piece_sink final : public chat_sink {
public:
    piece_sink(chat_sink& target, const guardrails& guards) noexcept
        : cutter{guards.piece_bytes, guards.before_bytes_max}, target_{target}, held_max_{guards.held_bytes_max}
    {
    }

    void on_text(std::string_view piece) override
    {
        cutter.add(piece);
        more.notify();
    }
    void on_usage(const usage& so_far) override { target_.on_usage(so_far); }
    void on_retracted() override
    {
        cutter.begin_anew();
        if (!std::exchange(said, {}).empty()) target_.on_retracted();
    }
    [[nodiscard]] bool is_full() const noexcept override
    {
        return cutter.waiting() >= held_max_ || target_.is_full();
    }
    [[nodiscard]] task<> wait_for_room() override { return wait_until_checked(*this); }

    /** The model has said everything. */
    void end()
    {
        cutter.end();
        more.notify();
    }
    /** A piece has passed. @param round   In which it was cut: it is void if the model began anew since. */
    void release(std::string_view text, std::uint64_t round)
    {
        room_.notify();
        if (round != cutter.round() || text.empty()) return;
        if (said.empty()) target_.on_started({}, {});
        said.append(text);
        target_.on_text(text);
    }

    piece_cutter cutter;
    signal more;
    std::string said;

private:
    static task<> wait_until_checked(piece_sink& self)
    {
        while (self.cutter.waiting() >= self.held_max_) co_await self.room_.wait();
        if (self.target_.is_full()) co_await self.target_.wait_for_room();
    }

    chat_sink& target_;
    std::size_t held_max_;
    signal room_;
};

/** What one guarded call works with. */
struct guarded_call {
    reply_source& source;
    const guardrails& guards;
    const guard_place& place;
};

task<void> pass_and_open(const guarded_call& call, guard_subject subject, holding_sink& held)
{
    guard_outcome passed =
        co_await pass_guards(call.guards.input, guard_timing::beside, std::move(subject), call.place);
    static_cast<void>(passed);
    held.open();
}

/** Asks, with the guardrails of the input that look beside it. */
task<chat_reply> ask_beside(const guarded_call& call, chat_request request, guard_subject input, chat_sink& sink)
{
    holding_sink held{sink, call.guards.held_bytes_max};
    // The guardrails begin: one that trips without waiting keeps the call from being made.
    task<void> looking = pass_and_open(call, std::move(input), held);
    task<chat_reply> asking = call.source.ask(std::move(request), held);
    std::tuple<std::monostate, chat_reply> both = co_await join(std::move(looking), std::move(asking));
    co_return std::get<1>(std::move(both));
}

task<chat_reply> ask_guarded(const guarded_call& call, chat_request request, const guard_subject* input,
                             chat_sink& sink)
{
    if (input) return ask_beside(call, std::move(request), *input, sink);
    return call.source.ask(std::move(request), sink);
}

task<chat_reply> end_pieces(task<chat_reply> asking, piece_sink& pieces)
{
    chat_reply reply = co_await std::move(asking);
    pieces.end();
    co_return reply;
}

task<void> check_pieces(const guarded_call& call, list<message> messages, piece_sink& pieces)
{
    while (!pieces.cutter.is_done()) {
        std::optional<reply_piece> piece = pieces.cutter.next();
        if (!piece) {
            co_await pieces.more.wait();
            continue;
        }
        guard_subject subject{guard_stage::output, std::move(piece->text)};
        subject.before = std::move(piece->before);
        subject.is_whole = false;
        subject.messages = messages;
        const guard_outcome passed = co_await pass_all_guards(call.guards.output, std::move(subject), call.place);
        pieces.release(passed.text, piece->round);
    }
}

/** Asks, and checks the reply while it is written. */
task<chat_reply> ask_in_pieces(const guarded_call& call, chat_request request, const guard_subject* input,
                               piece_sink& pieces)
{
    task<void> checking = check_pieces(call, request.messages, pieces);
    task<chat_reply> asking = end_pieces(ask_guarded(call, std::move(request), input, pieces), pieces);
    std::tuple<std::monostate, chat_reply> both = co_await join(std::move(checking), std::move(asking));
    co_return std::get<1>(std::move(both));
}

void replace_text(message& said, std::string text)
{
    std::erase_if(said.content, [](const content_part& part) { return std::holds_alternative<text_part>(part); });
    said.content.push_back(text_part{std::move(text)});
    said.provider.reset();  // the provider's own form may have the old text
}

/** Has the guardrails of the output look at a reply, which they may change. */
task<void> check_reply(const guarded_call& call, chat_reply& reply, list<message> messages)
{
    std::string text = reply.message.text();
    if (text.empty()) co_return;
    guard_subject subject{guard_stage::output, std::move(text)};
    subject.messages = std::move(messages);
    guard_outcome passed = co_await pass_all_guards(call.guards.output, std::move(subject), call.place);
    if (passed.is_replaced) replace_text(reply.message, std::move(passed.text));
}

/** What was said before the guardrails had passed it is taken back. */
[[noreturn]] void take_back(const std::exception_ptr& failed, const std::string& said, chat_sink& sink)
{
    if (!said.empty() && find_trip(failed)) sink.on_retracted();
    std::rethrow_exception(failed);
}

task<chat_reply> reply_whole(const guarded_call& call, chat_request request, const guard_subject* input,
                             chat_sink& sink)
{
    quiet_sink quiet{sink};
    list<message> messages = request.messages;
    chat_reply reply = co_await ask_guarded(call, std::move(request), input, quiet);
    co_await check_reply(call, reply, std::move(messages));
    tell_whole(reply, {}, sink);
    co_return reply;
}

task<chat_reply> reply_in_pieces(const guarded_call& call, chat_request request, const guard_subject* input,
                                 chat_sink& sink)
{
    piece_sink pieces{sink, call.guards};
    chat_reply reply;
    std::exception_ptr failed;
    try {
        list<message> messages = request.messages;
        chat_reply whole = co_await ask_in_pieces(call, std::move(request), input, pieces);
        reply = std::move(whole);
        co_await check_reply(call, reply, std::move(messages));
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed) take_back(failed, pieces.said, sink);
    tell_whole(reply, pieces.said, sink);
    co_return reply;
}

task<chat_reply> reply_at_once(const guarded_call& call, chat_request request, const guard_subject* input,
                               chat_sink& sink)
{
    remembering_sink told{sink};
    chat_reply reply;
    std::exception_ptr failed;
    try {
        list<message> messages = request.messages;
        chat_reply whole = co_await ask_guarded(call, std::move(request), input, told);
        reply = std::move(whole);
        co_await check_reply(call, reply, std::move(messages));
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed) take_back(failed, told.said, sink);
    const std::string text = reply.message.text();
    if (text != told.said && !told.said.empty()) {
        sink.on_retracted();
        sink.on_text(text);
    }
    co_return reply;
}

task<chat_reply> reply_as_released(const guarded_call& call, chat_request request, const guard_subject* input,
                                   chat_sink& sink)
{
    if (call.guards.output.empty()) return ask_guarded(call, std::move(request), input, sink);
    switch (call.guards.release) {
    case guard_release::pieces: return reply_in_pieces(call, std::move(request), input, sink);
    case guard_release::at_once: return reply_at_once(call, std::move(request), input, sink);
    case guard_release::whole: break;
    }
    return reply_whole(call, std::move(request), input, sink);
}

}  // namespace

task<chat_reply> guarded_reply(reply_source& source, guarded_request asked, const guardrails& guards,
                               const guard_place& place, chat_sink& sink)
{
    const guarded_call call{source, guards, place};
    const bool is_input = asked.input && !guards.input.empty();
    guard_subject input;
    if (is_input) {
        input.text = std::move(*asked.input);
        input.messages = asked.request.messages;
        guard_subject copy = input;
        co_await pass_guards(guards.input, guard_timing::first, std::move(copy), place);
    }
    const bool is_beside = is_input && has_guards(guards.input, guard_timing::beside);
    const guard_subject* const beside = is_beside ? &input : nullptr;
    chat_reply reply = co_await reply_as_released(call, std::move(asked.request), beside, sink);
    co_return reply;
}

}  // namespace weft::agent_detail
