#include <boost/test/unit_test.hpp>

#include "agents.hpp"
#include "unsettled_journal.hpp"

#include <weft/graph/analysis.hpp>
#include <weft/graph/drawing.hpp>
#include <weft/graph/graph_spec_writer.hpp>
#include <weft/graph/streaming.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::async_generator;
using weft::node_context;
using weft::task;

BOOST_AUTO_TEST_SUITE(llm_streams_test)

namespace {

constexpr weft::stream_key<std::string> draft{"draft"};
using lines = std::vector<std::string>;

/** Says pieces, a second after each; "<" takes back what was said. Heeds a full sink. */
class paced_model final : public weft::chat_model {
public:
    explicit paced_model(lines steps, std::chrono::nanoseconds pause = 1s) : steps_{std::move(steps)}, pause_{pause} {}
    std::string_view label() const noexcept override { return "paced"; }
    std::size_t calls = 0;
    std::size_t said = 0;
    weft::time_point begun{};  ///< The last call.

private:
    task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink& sink) override
    {
        ++calls;
        const weft::serial_loop& loop = co_await weft::this_task::loop();
        begun = loop.now();
        std::string all;
        for (const std::string& step : steps_) {
            all = step == "<" ? "" : all + step;
            if (step == "<") sink.on_retracted();
            else sink.on_text(step);
            ++said;
            if (sink.is_full()) co_await sink.wait_for_room();
            if (pause_ > 0s) co_await weft::sleep_for(pause_);
        }
        weft::chat_reply reply;
        reply.message = weft::message::assistant(all);
        co_return reply;
    }

    lines steps_;
    std::chrono::nanoseconds pause_;
};

/** What a reader heard, with the second, and how far the model was at most before it. */
struct heard {
    lines pieces = {};
    std::size_t most = 1000;
    std::chrono::nanoseconds pause = 0s;
    std::size_t ahead_max = 0;
    std::shared_ptr<paced_model> model = {};
};

task<void> hear(node_context& node, async_generator<std::string> pieces, heard& to)
{
    for (std::size_t count = 0; count < to.most; ++count) {
        std::string* const piece = co_await pieces.next();
        if (!piece) break;
        if (to.model) to.ahead_max = std::max(to.ahead_max, to.model->said - count);
        const weft::time_point now = node.loop().now();
        const auto second = std::chrono::duration_cast<std::chrono::seconds>(now - (to.model ? to.model->begun : now));
        to.pieces.push_back(std::to_string(second.count()) + " " + *piece);
        if (to.pause > 0s) co_await weft::sleep_for(to.pause);
    }
    node.set(weft::state_key<std::string>{"read"}, "yes");
}

weft::node_registry hearing(std::shared_ptr<paced_model> model, heard& to)
{
    to.model = model;
    weft::node_registry registry = agent_registry(std::move(model));
    const auto read = [&to](node_context& node, async_generator<std::string> pieces) {
        return hear(node, std::move(pieces), to);
    };
    registry.add_function("read", weft::streaming(draft, read));
    return registry;
}

/** A model writes, and `read` reads over an edge. */
std::string file_of(const std::string& settings = "", std::string_view edge = "'streams': true")
{
    return "'state': [{'name': 'draft', 'type': 'string'}, {'name': 'read', 'type': 'string'}], 'nodes': [{'name': "
           "'write', 'kind': 'llm', 'writes': ['draft'], 'settings': {'prompt': 'Write.'" +
           settings +
           "}}, {'name': 'read', 'reads': ['draft'], 'writes': ['read']}], 'edges': [{'from': '__start__', 'to': "
           "'write'}, {'from': 'write', 'to': 'read'" +
           std::string{edge.empty() ? "" : ", "} + std::string{edge} + "}]";
}

lines without_seconds(const lines& from)
{
    lines result;
    for (const std::string& one : from) result.push_back(one.substr(one.find(' ') + 1));
    return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_a_model_writes_is_read_while_it_comes)
{
    heard to;
    const auto model = std::make_shared<paced_model>(lines{"a ", "b ", "c"});
    const seen_run seen = run_members(file_of(), hearing(model, to));
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(to.pieces == (lines{"0 a ", "1 b ", "2 c"}));
    BOOST_TEST(seen.value("draft") == "\"a b c\"");
    BOOST_TEST(seen.value("read") == "\"yes\"");
    BOOST_TEST(seen.all("output") == "a b c");
    BOOST_TEST(seen.path == "write read");
    BOOST_TEST((seen.result.elapsed == 3s));

    heard behind;
    (void)run_members(file_of("", ""), hearing(model, behind));
    BOOST_TEST(behind.pieces == lines{"3 a b c"});
}

BOOST_AUTO_TEST_CASE(what_is_taken_back_after_it_was_read_is_read_as_a_whole)
{
    heard to;
    const auto model = std::make_shared<paced_model>(lines{"wrong", "<", "ri", "ght"});
    const seen_run seen = run_members(file_of(), hearing(model, to));
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(to.pieces == (lines{"0 wrong", "4 right"}));
    BOOST_TEST(seen.value("draft") == "\"right\"");
    BOOST_TEST(seen.value("read") == "\"yes\"");
    BOOST_TEST(model->calls == 1u);
    BOOST_TEST(seen.path == "write read");
}

BOOST_AUTO_TEST_CASE(a_reader_that_leaves_does_not_cut_the_text_and_a_slow_one_holds_the_model)
{
    heard to{.most = 1};
    const seen_run seen = run_members(file_of(), hearing(std::make_shared<paced_model>(lines{"a", "b", "c"}), to));
    BOOST_TEST(to.pieces == lines{"0 a"});
    BOOST_TEST(seen.value("draft") == "\"abc\"");

    const auto eager = std::make_shared<paced_model>(lines(200, "x"), 0s);
    heard slow{.pause = 10ms};
    BOOST_TEST(run_members(file_of(), hearing(eager, slow)).value("draft").size() == 202u);
    BOOST_TEST(slow.pieces.size() == 200u);
    BOOST_TEST(slow.ahead_max <= 18u);
}

BOOST_AUTO_TEST_CASE(a_rehearsal_streams_its_words_and_guardrails_release_what_they_passed)
{
    heard to;
    BOOST_TEST(run_members(file_of(", 'scripted': ['one two']"), hearing(nullptr, to)).value("draft") == "\"one two\"");
    BOOST_TEST(without_seconds(to.pieces) == (lines{"one", " two"}));

    heard guarded;
    const std::string guards = ", 'guards': {'output': [{'name': 'g', 'words': ['bad']}], 'release': 'whole'}";
    const auto good = std::make_shared<paced_model>(lines{"a ", "b"});
    BOOST_TEST(run_members(file_of(guards), hearing(good, guarded)).result.message() == "finished");
    BOOST_TEST(guarded.pieces == lines{"2 a b"});
    heard nothing;
    const auto wrong = std::make_shared<paced_model>(lines{"a ", "bad"});
    const seen_run bad = run_members(file_of(guards), hearing(wrong, nothing));
    BOOST_TEST((bad.code() == weft::errc::guardrail_tripped));
    BOOST_TEST(nothing.pieces == lines{});
}

BOOST_AUTO_TEST_CASE(a_recorded_reply_is_not_paid_again_and_streams_as_a_whole)
{
    heard to;
    const auto model = std::make_shared<paced_model>(lines{"a ", "b"});
    const weft::graph graph = weft::load_graph(spec_text(file_of()), hearing(model, to)).what;
    const auto journal = std::make_shared<unsettled_journal>();
    const weft::engine engine{graph};
    for (int i = 0; i < 2; ++i) {
        weft::testing::simulation sim{1};
        const weft::run_result result = sim.run(engine.run(weft::run_request{}.journal(journal)));
        BOOST_TEST(result.message() == "finished");
        BOOST_TEST(result.state.get(draft.whole()) == "a b");
    }
    BOOST_TEST(model->calls == 1u);
    BOOST_TEST(without_seconds(to.pieces) == (lines{"a ", "b", "a b"}));
}

BOOST_AUTO_TEST_CASE(a_node_that_reads_no_stream_begins_behind_it_and_that_is_said)
{
    const std::string file =
        "'state': [{'name': 'draft', 'type': 'string'}, {'name': 'short', 'type': 'string'}], 'nodes': [{'name': "
        "'write', 'kind': 'llm', 'writes': ['draft']}, {'name': 'sum', 'kind': 'llm', 'reads': ['draft'], 'writes': "
        "['short'], 'settings': {'prompt': 'Sum up {draft}'}}], 'edges': [{'from': '__start__', 'to': 'write'}, "
        "{'from': 'write', 'to': 'sum', 'kind': 'on_success', 'streams': true}]";
    const auto model = says({{"a long text"}, {"a text"}});
    const weft::node_registry registry = agent_registry(model);
    const weft::loaded_graph loaded = weft::load_graph(spec_text(file), registry);
    BOOST_TEST(run_graph(loaded.what, {}, {}).value("short") == "\"a text\"");
    BOOST_TEST(model->said(1, weft::role::user) == "Sum up a long text");
    const std::vector<weft::finding> found = weft::analyse(loaded.what);
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].rule == "stream_read_whole");
    BOOST_TEST(found[0].message == "'sum' reads no stream: it begins when that of 'write' has ended");
    BOOST_TEST(weft::to_mermaid(loaded.what).find("streams, read whole") != std::string::npos);
    BOOST_TEST(loaded.what.explain().find("on_success -> sum, streams, read whole") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_graph_with_streams_is_written_as_it_was_read)
{
    heard to;
    const weft::node_registry registry = hearing(std::make_shared<paced_model>(lines{"a"}), to);
    const weft::loaded_graph loaded = weft::load_graph(spec_text(file_of()), registry);
    const weft::graph_spec written = weft::spec_of(loaded.what, registry);
    BOOST_REQUIRE(written.edges.size() == 2u);
    BOOST_TEST(!written.edges[0].streams);
    BOOST_TEST(written.edges[1].streams);
    BOOST_TEST(written.nodes[0].kind == "llm");
    BOOST_REQUIRE(written.state.size() == 2u);
    const weft::loaded_graph again = weft::load_graph(written, registry);
    BOOST_TEST((weft::spec_of(again.what, registry) == written));
    BOOST_TEST(again.what.explain() == loaded.what.explain());
}

BOOST_AUTO_TEST_CASE(mistakes_of_streams_in_a_file_have_their_place)
{
    heard to;
    const weft::node_registry registry = hearing(nullptr, to);
    const auto lacks_edge = [&](const std::string& file, std::vector<std::string_view> parts) {
        return lacks(mistakes_in(spec_text(file), registry), std::move(parts));
    };
    BOOST_TEST(lacks_edge(file_of("", "'streams': true, 'kind': 'on_failure'"),
                          {"$.edges[1].streams: ", "one of the kind 'plain' or 'on_success'"}) == "");
    BOOST_TEST(lacks_edge(file_of("", "'streams': true, 'when': 'True'"), {"$.edges[1].streams: "}) == "");
    BOOST_TEST(lacks_edge(file_of("", "'streams': true, 'map': {'read': 'draft'}"), {"$.edges[1].map: "}) == "");
    BOOST_TEST(lacks_edge(file_of("", "'streams': 'yes'"), {"$.edges[1].streams: "}) == "");
    std::string silent = file_of();
    silent.replace(silent.find("'writes': ['draft']"), 19, "'writes': ['draft', 'read']");
    BOOST_TEST(lacks_edge(silent, {"$.edges[1]: edge[1] 'write' -> 'read': 'write' gives no stream",
                                   "of the kind llm and writes one key"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
