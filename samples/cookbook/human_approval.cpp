// Cookbook: human in the loop. A refund waits in a SQLite file for a person's approval, for seconds or for weeks.

// [program]
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/answer_parsing.hpp>
#include <weft/store/sqlite_store.hpp>
#include <weft/weft.hpp>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

inline constexpr weft::state_key<std::string> order{"order"};
inline constexpr weft::state_key<std::int64_t> cents{"cents"};
inline constexpr weft::state_key<std::string> outcome{"outcome"};

// Small refunds are paid at once. The run of a larger one ends `paused`, and its node begins again with the answer.
weft::task<void> decide(weft::node_context& ctx)
{
    if (ctx.get(cents) > 5'000) {
        const std::string text = "Refund " + std::to_string(ctx.get(cents)) + " cents for " + ctx.get(order) + "?";
        weft::question sure = weft::question::approval(text);
        const bool is_approved = co_await ctx.ask<bool>(std::move(sure));
        if (!is_approved) ctx.set(outcome, std::string{"refused"});
    }
}

// The payment is an effect: after a crash its outcome is read back, or it is sent again with the same key.
weft::task<void> pay(weft::node_context& ctx)
{
    if (ctx.find(outcome)) co_return;
    const auto paying = [&](const weft::effect_context& effect) {
        std::cout << "  pays, with the idempotency key " << effect.key().substr(0, 8) << "…\n";
        return std::string{"paid"};
    };
    const std::string paid = co_await ctx.once("pay", paying);
    ctx.set(outcome, paid);
}

std::shared_ptr<const weft::durable_graphs> make_graphs()
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(weft::graph_builder{"refund"}.state(order, cents, outcome).node("decide", decide).node("pay", pay)
                    .edge(weft::start, "decide").edge("decide", "pay").edge("pay", weft::end).build());
    return graphs;
}

// What the run waits for, what became of it, or why it failed.
std::string describe(const weft::run_result& result)
{
    for (const weft::open_question& open : result.questions) return "waits for an answer: " + open.asked.text;
    if (result.status == weft::run_status::finished) return result.state.get(outcome);
    throw weft::error{weft::errc::node_failed, "refund", result.message()};
}

weft::task<weft::run_result> refund(weft::durable_engine& durable, std::string number, std::int64_t amount)
{
    weft::run_request request = weft::run_request{number}.input(order, number).input(cents, amount);
    weft::run_result result = co_await durable.run(std::move(request));
    co_return result;
}

// Where the person is: a command here, a web page or a chat elsewhere.
weft::task<weft::run_result> answer(weft::durable_engine& durable, std::string number, std::string text)
{
    const weft::thread_key thread{number};
    const std::vector<weft::open_question> open = co_await durable.questions(thread);
    weft::question_answers answers;
    for (const weft::open_question& each : open) {
        auto value = weft::parse_answer(each.asked, text);
        if (!value) throw weft::error{weft::errc::invalid_answer, text, "answer yes or no"};
        answers.emplace(each.address, std::move(*value));
    }
    weft::run_result result = co_await durable.resume(thread, std::move(answers));
    co_return result;
}

// Each command is a process of its own: it opens the file, does one thing and leaves.
weft::task<std::string> command(std::string file, std::string verb, std::string number, std::string value)
{
    const auto store = co_await weft::sqlite_store::open(weft::sqlite_options{std::move(file)});
    weft::durable_engine durable{*store, make_graphs()};
    co_await durable.open();
    weft::task<weft::run_result> work = verb == "refund" ? refund(durable, number, std::atoll(value.c_str()))
                                                         : answer(durable, number, value);
    const weft::run_result result = co_await std::move(work);
    co_await durable.close();
    co_return describe(result);
}

bool run(const std::string& file, const std::string& verb, const std::string& number, const std::string& value,
         std::string_view expected = {})
{
    const std::string said = weft::run_blocking(command(file, verb, number, value));
    std::cout << verb << ' ' << number << ": " << said << '\n';
    return said.starts_with(expected);
}

int main(int count, char** words)
try {
    if (count == 5) return run(words[1], words[2], words[3], words[4]) ? 0 : 1;
    if (count != 1) return std::cerr << "human_approval FILE refund ORDER CENTS | FILE answer ORDER yes|no\n", 2;
    const std::string file = "weft_refunds.db";
    for (const char* end : {"", "-wal", "-shm", ".lock"}) std::filesystem::remove(file + end);
    const bool is_well = run(file, "refund", "1017", "25000", "waits") && run(file, "answer", "1017", "yes", "paid") &&
                         run(file, "refund", "1018", "900", "paid") && run(file, "refund", "1019", "7000", "waits") &&
                         run(file, "answer", "1019", "no", "refused");
    return is_well ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
// [/program]
