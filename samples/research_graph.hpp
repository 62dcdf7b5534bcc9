#pragma once

/** The graph of the demo: plan, three researchers at once, write, judge, and back to write until
 *  the report is good enough. Used by parallel_research.cpp. */

#include <weft/base/json.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/model_error.hpp>

#include <boost/describe/class.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace research {

/** What the judge answers. Described, so that it is read from JSON by its members' names. */
struct verdict {
    double score = 0;
    std::string feedback;
};
BOOST_DESCRIBE_STRUCT(verdict, (), (score, feedback))

using texts = std::map<std::string, std::string>;

inline constexpr weft::state_key<std::string> topic{"topic"};
inline constexpr weft::state_key<std::string> outline{"outline"};
// By researcher.
inline constexpr weft::state_key<texts, weft::merge> findings{"findings"};
inline constexpr weft::state_key<std::string> report{"report"};
inline constexpr weft::state_key<verdict> judgement{"judgement"};
inline constexpr weft::state_key<std::int64_t> drafts{"drafts"};
inline constexpr weft::state_key<weft::usage, weft::add> spent{"spent"};
// By node: what a stop cut short.
inline constexpr weft::state_key<texts, weft::merge> unfinished{"unfinished"};

inline constexpr std::array<std::string_view, 3> researchers{"web", "papers", "data"};
inline constexpr double score_wanted = 0.8;

// [sink]
/** Hands a reply on to the watchers of the run, piece by piece while the model writes. */
class to_watchers final : public weft::chat_sink {
public:
    explicit to_watchers(weft::node_context& ctx) : ctx_{ctx} {}
    void on_text(std::string_view piece) override { ctx_.emit(piece); }

private:
    weft::node_context& ctx_;
};
// [/sink]

// [ask]
/** What is needed of a reply. A run that is kept writes it down, and never pays for it again. */
struct answer {
    std::string text;
    weft::usage used;
};
BOOST_DESCRIBE_STRUCT(answer, (), (text, used))

/** Throws if an answer is of no use; null if any text is. */
using answer_check = void (*)(const std::string& text);

/** One call of the model. */
inline weft::task<answer> call(weft::node_context& ctx, weft::chat_model& model,
                               weft::chat_request request, answer_check check)
{
    to_watchers sink{ctx};
    answer said;
    try {
        const weft::chat_reply reply = co_await model.reply(std::move(request), sink);
        said.text = reply.message.text();
        said.used = reply.usage;
    } catch (const weft::model_error& error) {
        // If it was a stop that cut the reply short, this keeps what had arrived. If the reply
        // failed, nothing is kept, and the next attempt begins afresh.
        const std::string partial = error.partial().message.text();
        if (!partial.empty()) ctx.publish(unfinished, texts{{std::string{ctx.node()}, partial}});
        ctx.publish(spent, error.partial().usage);
        throw;
    }
    if (said.text.empty())
        throw weft::error{weft::errc::invalid_model_reply, std::string{model.label()},
                          "no text in it"};
    if (check) check(said.text);
    co_return said;
}

/** Asks the model for a node, once in a visit: a further attempt, and a process that goes on with
 *  the run of one that died, get the answer that was written down. */
inline weft::task<std::string> ask(weft::node_context& ctx, weft::chat_model& model,
                                   std::string role, std::string text,
                                   answer_check check = nullptr)
{
    const auto asking = [&](const weft::effect_context& effect) {
        weft::chat_request request;
        request.system(role).user(text);
        request.call_id = effect.key();  // the same at each attempt, also when it is unknown whether the call was made
        return call(ctx, model, std::move(request), check);
    };
    answer said = co_await ctx.once("reply", asking);
    ctx.set(spent, said.used);
    ctx.emit("tokens", std::to_string(said.used.output.count()));
    co_return std::move(said.text);
}
// [/ask]

inline weft::task<void> plan(weft::node_context& ctx, weft::chat_model& model)
{
    std::string answer = co_await ask(
        ctx, model,
        "You plan research. Answer with exactly three numbered lines and nothing else, "
        "`1. web: ...`, `2. papers: ...`, `3. data: ...`: for each researcher one sentence "
        "on what to find out.",
        "Topic: " + ctx.get(topic));
    ctx.set(outline, std::move(answer));
}

/** The line of the plan that is for this researcher; the whole plan if the planner did not keep to
 *  the form. */
inline std::string angle_for(std::string_view researcher, const std::string& plan)
{
    const std::size_t at = plan.find(std::string{researcher} + ":");
    return at == std::string::npos ? std::string{researcher} + ": " + plan
                                   : plan.substr(at, plan.find('\n', at) - at);
}

inline weft::task<void> investigate(weft::node_context& ctx, weft::chat_model& model)
{
    const std::string name{ctx.node()};
    std::string answer = co_await ask(
        ctx, model,
        "You research one angle of a topic for a report. Answer with your findings in at "
        "most 120 words, and say how sure you are of each.",
        "Topic: " + ctx.get(topic) + "\nAngle: " + angle_for(name, ctx.get(outline)));
    ctx.set(findings, texts{{name, std::move(answer)}});
}

inline weft::task<void> write(weft::node_context& ctx, weft::chat_model& model)
{
    std::string text = "Topic: " + ctx.get(topic);
    for (const auto& [name, found] : ctx.get(findings))
        text += "\n\nFindings of " + name + ":\n" + found;
    if (const std::string* last = ctx.find(report)) text += "\n\nYour last draft:\n" + *last;
    if (const verdict* said = ctx.find(judgement)) text += "\n\nFeedback on it:\n" + said->feedback;
    std::string answer = co_await ask(
        ctx, model,
        "You write a short report in Markdown, at most 250 words, from what researchers "
        "found. Where there is feedback on an earlier draft, follow it.",
        std::move(text));
    ctx.set(report, std::move(answer));
    ctx.set(drafts, ctx.visit());
}

/** Models like to wrap JSON in words or in a fence: from the first brace to the last. */
inline verdict read_verdict(const std::string& answer)
{
    const std::size_t first = answer.find('{');
    const std::size_t last = answer.rfind('}');
    const bool has_object = first != std::string::npos && last != std::string::npos && first < last;
    verdict result = weft::from_json<verdict>(
        weft::parse_json(has_object ? std::string_view{answer}.substr(first, last - first + 1)
                                    : std::string_view{answer}));
    if (result.score < 0 || result.score > 1)
        throw weft::error{weft::errc::unexpected_json, "$.score", "expected a number from 0 to 1"};
    return result;
}

inline weft::task<void> judge(weft::node_context& ctx, weft::chat_model& model)
{
    // An answer that is no verdict is no answer: the next attempt asks again.
    const answer_check is_verdict = [](const std::string& text) { (void)read_verdict(text); };
    const std::string answer =
        co_await ask(ctx, model,
                     "You judge a report strictly. Answer with one JSON object and nothing else: "
                     "{\"score\": a number from 0 to 1, \"feedback\": \"one or two sentences for "
                     "the writer\"}.",
                     "Topic: " + ctx.get(topic) + "\n\nReport:\n" + ctx.get(report), is_verdict);
    ctx.set(judgement, read_verdict(answer));
}

// [graph]
/** @par Lifetimes  The model outlives the runs of the graph. */
inline weft::graph make_graph(weft::chat_model& model, std::int64_t rounds_max)
{
    // Another attempt is worth it for what may pass, and for a judge that did not answer with JSON.
    // A wrong key or address will not mend itself.
    using weft::errc;
    const weft::node_options asking{
        .retry = {.attempts_max = 3,
                  .retry_on = {errc::model_rate_limited, errc::model_overloaded,
                               errc::model_stream_error, errc::connection_lost,
                               errc::response_truncated, errc::first_byte_timeout,
                               errc::gap_timeout, errc::invalid_model_reply,
                               errc::invalid_json, errc::unexpected_json}},
        .timeout = std::chrono::minutes{5}};
    const auto is_worth_another_round = [rounds_max](const weft::state_view& state) {
        return state.get(judgement).score < score_wanted && state.get(drafts) < rounds_max;
    };
    // Each node is a coroutine with the model as a second parameter; the lambdas only call them.
    const auto with_model = [&model](auto node) {
        return [&model, node](weft::node_context& ctx) { return node(ctx, model); };
    };

    weft::graph_builder builder{"parallel_research"};
    builder.state(topic, outline, findings, report, judgement, drafts, spent, unfinished)
        .node("plan", with_model(plan), asking)
        .edge(weft::start, "plan")
        // A report on two of three angles is better than none.
        .fan_out("plan", {.on_failure = weft::branch_policy::continue_others});
    for (std::string_view researcher : researchers)
        builder.node(std::string{researcher}, with_model(investigate), asking)
            .edge("plan", researcher)
            .edge(researcher, "write");
    builder.node("write", with_model(write), asking)
        .node("judge", with_model(judge), asking)
        .edge("write", "judge")
        .edge_when("judge", "write", is_worth_another_round)
        .edge("judge", weft::end)
        .edge_on_failure("judge", weft::end);  // and so is a report without a verdict
    return builder.build();
}
// [/graph]

}  // namespace research
