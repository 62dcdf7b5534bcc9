#include "crash_graph.hpp"

#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <cstdint>
#include <map>
#include <sstream>

namespace weft_crash {

namespace {

constexpr std::int64_t rounds = 11;
constexpr std::int64_t laps_outside = 3;
constexpr std::int64_t laps_inside = 2;

constexpr weft::state_key<std::int64_t> round_key{"round"};
constexpr weft::state_key<std::int64_t> laps{"laps"};
constexpr weft::state_key<std::int64_t> inner_laps{"inner_laps"};
constexpr weft::state_key<std::int64_t, weft::add> total{"total"};
constexpr weft::state_key<std::vector<std::string>, weft::append> words{"words"};
constexpr weft::state_key<std::vector<std::string>, weft::append> inner_words{"inner_words"};

using notes_ptr = std::shared_ptr<const weft_tests::ledger>;
using words_key = weft::state_key<std::vector<std::string>, weft::append>;

bool asks_in_branches(std::int64_t round) { return round % 4 == 0; }
bool asks_behind(std::int64_t round) { return round % 3 == 0; }

std::string name_visit(std::string_view node, std::int64_t round, std::int64_t lap)
{
    return std::string{node} + '.' + std::to_string(round) + '.' + std::to_string(lap);
}

/** Notes that a visit begins. @return  Its name. */
std::string begin_visit(const weft::node_context& at, const notes_ptr& notes, std::int64_t round, std::int64_t lap)
{
    std::string visit = name_visit(at.node(), round, lap);
    notes->note({"node", std::string{at.thread()}, visit});
    return visit;
}

/** An effect: a line in the ledger, and an outcome that its address decides. */
weft::task<std::int64_t> have_effect(weft::node_context& at, notes_ptr notes, std::string name)
{
    const auto effect = [&at, notes](const weft::effect_context& of) {
        notes->note({"effect", std::string{at.thread()}, of.address(), of.key()});
        return static_cast<std::int64_t>(of.address().size());
    };
    const std::int64_t outcome = co_await at.once(std::move(name), effect);
    co_return outcome;
}

weft::task<void> start_round(weft::node_context& at, notes_ptr notes)
{
    const std::int64_t round = at.value_or(round_key, 0) + 1;
    at.set(round_key, round);
    at.set(laps, 0);
    at.set(words, begin_visit(at, notes, round, 0));
    co_return;
}

/** A node that notes itself in the state. */
weft::task<void> pass(weft::node_context& at, notes_ptr notes)
{
    at.set(words, begin_visit(at, notes, at.get(round_key), 0));
    co_return;
}

weft::task<void> pay(weft::node_context& at, notes_ptr notes)
{
    const std::string visit = begin_visit(at, notes, at.get(round_key), 0);
    const std::int64_t outcome = co_await have_effect(at, notes, "charge");
    at.set(total, outcome);
    at.set(words, visit);
}

/** Has an effect, and in some rounds asks a person. */
weft::task<void> consult(weft::node_context& at, notes_ptr notes)
{
    const std::int64_t round = at.get(round_key);
    std::string visit = begin_visit(at, notes, round, 0);
    const std::int64_t outcome = co_await have_effect(at, notes, "send");
    at.set(total, outcome);
    if (asks_in_branches(round)) {
        const std::string answer = co_await at.ask<std::string>("Which way?");
        visit += '=' + answer;
    }
    at.set(words, visit);
}

weft::task<void> go_round(weft::node_context& at, notes_ptr notes)
{
    const std::int64_t lap = at.get(laps) + 1;
    at.set(words, begin_visit(at, notes, at.get(round_key), lap));
    at.set(laps, lap);
    co_return;
}

/** Asks twice, behind an effect. */
weft::task<void> confirm(weft::node_context& at, notes_ptr notes)
{
    std::string visit = begin_visit(at, notes, at.get(round_key), 0);
    const std::int64_t outcome = co_await have_effect(at, notes, "reserve");
    at.set(total, outcome);
    const std::string first = co_await at.ask<std::string>("Who?");
    const std::string second = co_await at.ask<std::string>("Are you sure?");
    visit += '=' + first + '=' + second;
    at.set(words, visit);
}

weft::task<void> step_inside(weft::node_context& at, notes_ptr notes)
{
    at.set(inner_words, begin_visit(at, notes, at.get(round_key), at.value_or(inner_laps, 0) + 1));
    co_return;
}

weft::task<void> pay_inside(weft::node_context& at, notes_ptr notes)
{
    const std::string visit = begin_visit(at, notes, at.get(round_key), at.value_or(inner_laps, 0) + 1);
    static_cast<void>(co_await have_effect(at, notes, "post"));
    at.set(inner_words, visit);
}

weft::task<void> end_lap_inside(weft::node_context& at, notes_ptr notes)
{
    const std::int64_t lap = at.value_or(inner_laps, 0) + 1;
    at.set(inner_words, begin_visit(at, notes, at.get(round_key), lap));
    at.set(inner_laps, lap);
    co_return;
}

auto with(const notes_ptr& notes, weft::task<void> (*work)(weft::node_context&, notes_ptr))
{
    return [notes, work](weft::node_context& at) { return work(at, notes); };
}

weft::graph inner_graph(const notes_ptr& notes)
{
    weft::graph_builder builder{"inner"};
    builder.state(round_key, inner_laps, inner_words);
    builder.conflict(weft::conflict_strategy::branch_order);
    builder.node("o", with(notes, step_inside)).node("p", with(notes, pay_inside));
    builder.node("q", with(notes, step_inside)).node("r", with(notes, end_lap_inside));
    builder.edge(weft::start, "o").edge("o", "p").edge("o", "q").edge("p", "r").edge("q", "r");
    builder.edge_when("r", "o", [](const weft::state_view& at) { return at.value_or(inner_laps, 0) < laps_inside; });
    return builder.edge("r", weft::end).build();
}

}  // namespace

std::shared_ptr<const weft::durable_graphs> crash_graphs(notes_ptr notes)
{
    weft::graph_builder builder{"crash"};
    builder.state(round_key, laps, total, words, inner_words).conflict(weft::conflict_strategy::branch_order);
    builder.node("s", with(notes, start_round)).node("pay", with(notes, pay)).node("split", with(notes, pass));
    builder.node("left", with(notes, consult)).node("right", with(notes, consult)).node("meet", with(notes, pass));
    builder.node("inner", weft::subgraph{inner_graph(notes)}).node("spin", with(notes, go_round));
    builder.node("j", with(notes, pass)).node("confirm", with(notes, confirm)).node("over", with(notes, pass));
    builder.edge(weft::start, "s").edge("s", "pay").edge("s", "split").edge("s", "inner").edge("s", "spin");
    builder.edge("split", "left").edge("split", "right").edge("left", "meet").edge("right", "meet");
    builder.edge_when("spin", "spin", [](const weft::state_view& at) { return at.value_or(laps, 0) < laps_outside; });
    builder.edge("pay", "j").edge("meet", "j").edge("inner", "j").edge("spin", "j");
    const auto goes_on = [](const weft::state_view& at) { return at.value_or(round_key, 0) < rounds; };
    const auto asks = [](const weft::state_view& at) { return asks_behind(at.value_or(round_key, 0)); };
    builder.edge_when("j", "confirm", asks);
    builder.edge_when("j", "s", goes_on).edge("j", "over");
    builder.edge_when("confirm", "s", goes_on).edge("confirm", "over").edge("over", weft::end);
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(builder.build());
    return graphs;
}

std::vector<std::string> visits_before(std::string_view visit)
{
    std::istringstream parts{std::string{visit}};
    std::string node, round_text, lap_text;
    std::getline(parts, node, '.');
    std::getline(parts, round_text, '.');
    std::getline(parts, lap_text, '.');
    const std::int64_t round = std::stoll(round_text);
    const std::int64_t lap = std::stoll(lap_text);
    const std::string begin = name_visit("s", round, 0);
    if (node == "s") {
        if (round == 1) return {};
        return {name_visit(asks_behind(round - 1) ? "confirm" : "j", round - 1, 0)};
    }
    if (node == "spin") return {lap > 1 ? name_visit("spin", round, lap - 1) : begin};
    if (node == "o") return {lap > 1 ? name_visit("r", round, lap - 1) : begin};
    if (node == "p" || node == "q") return {name_visit("o", round, lap)};
    if (node == "r") return {name_visit("p", round, lap), name_visit("q", round, lap)};
    if (node == "left" || node == "right") return {name_visit("split", round, 0)};
    if (node == "meet") return {name_visit("left", round, 0), name_visit("right", round, 0)};
    if (node == "j")
        return {name_visit("pay", round, 0), name_visit("meet", round, 0), name_visit("r", round, laps_inside),
                name_visit("spin", round, laps_outside)};
    if (node == "confirm" || node == "over") return {name_visit("j", round, 0)};
    return {begin};
}

}  // namespace weft_crash
