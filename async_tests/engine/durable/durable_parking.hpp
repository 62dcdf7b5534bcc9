#pragma once

#include "durable_cases.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/** Runs that wait for answers in their process. */
namespace weft_tests::parking_cases {

/** What nodes have done in the world. */
struct diary {
    std::map<std::string, int> begun;
    std::map<std::string, int> effects;  // by key
    int calls = 0;
};

inline std::int64_t note(diary& at, const std::string& key)
{
    ++at.calls;
    return ++at.effects[key];
}

/** Has an effect, asks, and sets what it had in hand before. */
inline weft::task<void> asking_node(weft::node_context& context, std::shared_ptr<diary> at)
{
    const int count = ++at->begun[std::string{context.node()}];
    const auto effect = [at](const weft::effect_context& effect) { return note(*at, effect.key()); };
    static_cast<void>(co_await context.once("note", effect));
    const std::string said = co_await context.ask<std::string>("Who?");
    context.set(words, std::string{context.node()} + ":" + said + ":" + std::to_string(count));
}

inline auto asks_and_notes(std::shared_ptr<diary> at)
{
    return [at](weft::node_context& context) { return asking_node(context, at); };
}

/** s, then x, which asks, beside y of that length, then j. */
inline weft::graph one_asks(std::shared_ptr<diary> at, std::chrono::nanoseconds length_of_y = 0ms)
{
    weft::graph_builder builder{"one_asks"};
    builder.state(value, other, total, words);
    builder.node("s", [] {}).node("x", asks_and_notes(at)).node("y", sleeps(length_of_y)).node("j", [] {});
    builder.edge(weft::start, "s").edge("s", "x").edge("s", "y").edge("x", "j").edge("y", "j");
    return builder.build();
}

/** Only a node that asks. */
inline weft::graph asks_alone(std::shared_ptr<diary> at)
{
    weft::graph_builder builder{"alone"};
    builder.state(value, other, total, words);
    return builder.node("x", asks_and_notes(at)).edge(weft::start, "x").build();
}

inline weft::durable_request parked_in(std::string thread)
{
    weft::run_request request{std::move(thread)};
    request.on_questions(weft::interrupts::park);
    return weft::durable_request{std::move(request)};
}

inline weft::durable_options parking()
{
    weft::durable_options options;
    options.on_questions = weft::interrupts::park;
    return options;
}

inline weft::task<void> run_into(weft::durable_engine& with, weft::durable_request request,
                          std::optional<weft::run_result>& into)
{
    weft::run_result result = co_await with.run(std::move(request));
    into.emplace(std::move(result));
}

inline weft::task<void> work(weft::durable_engine& with)
{
    co_await with.work();
}

inline weft::task<void> answer_all(weft::durable_engine& with, std::string thread, std::string said)
{
    const weft::thread_key key{std::move(thread)};
    const std::vector<weft::open_question> open = co_await with.questions(key);
    weft::question_answers answers;
    for (const weft::open_question& each : open) answers.emplace(each.address, boost::json::value(said));
    co_await with.answer(key, std::move(answers));
}

inline weft::task<weft::run_phase> phase_of(weft::checkpoint_store& store, std::string thread)
{
    const weft::thread_key key{std::move(thread)};
    const std::optional<weft::run_record> active = co_await store.active_run(key);
    co_return active ? active->phase : weft::run_phase::finished;
}

inline weft::task<void> enter_run(weft::checkpoint_store& store, std::string thread, std::string graph)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    weft::new_run run{weft::thread_key{std::move(thread)}, ids.next<weft::run_id>()};
    run.graph_named(std::move(graph));
    static_cast<void>(co_await store.enqueue(std::move(run)));
}

inline std::string words_of(const std::optional<weft::run_result>& result)
{
    return result && result->state.find(words) ? result->state.get(words).front() : std::string{};
}

}  // namespace weft_tests::parking_cases
