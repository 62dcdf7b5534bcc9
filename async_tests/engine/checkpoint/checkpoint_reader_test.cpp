#include <boost/test/unit_test.hpp>

#include "checkpoints.hpp"
#include "engine/scheduler/scheduler_script.hpp"
#include "graph/node/graph_keys.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/base/memory/record_writer.hpp>
#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <boost/json/serialize.hpp>

#include <cmath>

using namespace weft_tests;
using weft::state_update;

BOOST_AUTO_TEST_SUITE(checkpoint_reader_test)

namespace {

constexpr weft::state_key<std::string> text{"text"};
constexpr weft::state_key<weft::list<std::string>, weft::append> lines{"lines"};
constexpr weft::state_key<boost::json::value> anything{"anything"};

void put(weft::frontier& where, const weft::graph& of, std::string_view key, weft::value_ptr value)
{
    where.root->root().writable(of.layout()->find(key)) = std::move(value);
}

weft::graph inner_graph()
{
    weft::graph_builder builder = plain_graph("xyz", "^x xy xz");
    return builder.state(text, lines).build();
}

/** a -> (b -> d, c), b is a graph, -> j -> a, with feedback, retries, deferred nodes and moved values. */
weft::graph rich_graph()
{
    weft::graph_builder builder = graph_of("");
    builder.state(text, lines, anything);
    weft::node_options feedback = tries(2);
    feedback.gives_feedback = true;
    weft::node_options last;
    last.is_deferred = true;
    builder.node("a", [] {}, feedback).node("b", weft::subgraph{inner_graph()}).node("c", [] {}, tries(3));
    builder.node("d", [] {}).node("j", [] {}).node("z", [] {}, last);
    add_edges(builder, "^a bd dj cj az");
    builder.edge("a", "b", {.map = {{"other", "value"}}}).edge("a", "c", {.map = {{"text", "text"}}});
    builder.edge_when("j", "a", [](const weft::state_view& s) { return s.value_or(total, 0) < 3; });
    builder.edge("j", weft::end);
    builder.fan_out("a", {.on_failure = weft::branch_policy::wait_all, .concurrency_max = 2,
                          .branch_timeout = std::chrono::seconds{1}});
    return builder.build();
}

/** A frontier with something of everything. */
weft::frontier rich_frontier(const weft::graph& of)
{
    scheduler_script run{of};
    run.begin();
    run.ok("a", state_update{}.set(value, 7).set(text, std::string(200, 't')).set(lines, "one").set(total, 1));
    run.fail("c");
    scheduler_script inner_run{of.node(of.find("b")).body->inner()->graph};
    inner_run.begin();
    inner_run.ok("x", state_update{}.set(text, std::string(200, 't')).set(lines, "within"));
    inner_run.ok("y", state_update{}.set(value, 3).set(words, "y"));
    weft::frontier inner{inner_run.trail()};
    weft::frontier where{run.trail()};
    for (weft::branch_index t = 0; t < where.branches.size(); ++t)
        if (of.name_of(where.branches[t].node) == "b")
            where.extra().inner.emplace_back(t, std::make_shared<const weft::frontier>(std::move(inner)));
    weft::spending spent;
    spent.tokens = weft::tokens{1234};
    spent.cost = weft::usd_micros{-5};
    spent.turns = 2;
    where.extra().spent = spent;
    return where;
}

auto is_refused()
{
    return [](const weft::error& e) {
        return e.code() == weft::errc::store_corrupt && !e.where().empty() && !e.detail().empty();
    };
}

strict_thread stored(const weft::frontier& where, const weft::graph& of)
{
    strict_thread thread;
    weft::checkpoint_writer writer{of, strict_thread::key};
    thread.commit(writer.write(where));
    return thread;
}

}  // namespace

BOOST_AUTO_TEST_CASE(everything_that_a_frontier_has_is_read_as_it_was)
{
    const weft::graph of = rich_graph();
    const weft::frontier where = rich_frontier(of);
    BOOST_TEST(!where.extras->last_outputs.empty());
    BOOST_TEST(!where.extras->deferred.empty() + where.regions.size() > 0u);
    const weft::frontier read = through_a_checkpoint(where, of);
    BOOST_TEST(weft::first_difference(where, read, of) == "");
    BOOST_TEST((read.extras->spent == where.extras->spent));
}

BOOST_AUTO_TEST_CASE(an_empty_frontier_and_one_that_is_over_are_read_as_they_were)
{
    const weft::graph of = plain_graph("ab", "^a ab").build();
    (void)through_a_checkpoint(weft::frontier{weft::state{of.layout()}}, of);
    scheduler_script run{of};
    run.begin();
    run.ok("a");
    run.ok("b", state_update{}.set(value, 1));
    const weft::frontier read = through_a_checkpoint(run.trail(), of);
    BOOST_TEST(read.root->root().get(value) == 1);
    BOOST_TEST(read.path.size() == 2u);
}

BOOST_AUTO_TEST_CASE(values_are_exact)
{
    weft::graph_builder builder = plain_graph("a", "^a");
    const weft::graph of = builder.state(text, lines, anything).build();
    weft::frontier where{weft::state{of.layout()}};
    const std::string bytes = std::string("not \xff\xfe UTF-8 \0 \"quoted\" ", 24) + std::string(100, '\x80');
    put(where, of, "text", weft::make_box<std::string>(bytes));
    put(where, of, "lines", weft::make_box<weft::list<std::string>>(weft::list<std::string>{bytes, "", "short"}));
    const boost::json::value numbers = {
        0.1, 1e-300, -0.0, 5e-324, std::uint64_t{18'446'744'073'709'551'615u}, std::int64_t{-1}, nullptr,
        {{"nested", {{"deep", {true, false, 12345.678901234567}}}}, {"filler", std::string(80, 'f')}}};
    put(where, of, "anything", weft::make_box<boost::json::value>(numbers));
    const weft::frontier read = through_a_checkpoint(where, of);
    BOOST_TEST(read.root->root().get(text) == bytes);
    BOOST_TEST(read.root->root().get(lines)[0] == bytes);
    BOOST_TEST((read.root->root().get(anything) == numbers));
    BOOST_TEST(std::signbit(read.root->root().get(anything).at(2).get_double()));
}

BOOST_AUTO_TEST_CASE(what_was_one_value_is_one_value_again)
{
    const weft::graph of = rich_graph();
    const weft::frontier where = rich_frontier(of);
    const weft::frontier read = through_a_checkpoint(where, of);
    const auto& inner = *read.extras->inner.front().second;
    const weft::graph inside = inner_graph();
    BOOST_TEST((read.root->root().at(of.layout()->find("text")) ==
                inner.root->root().at(inside.layout()->find("text"))));
}

BOOST_AUTO_TEST_CASE(failures_keep_their_text_and_code_and_are_shared)
{
    weft::graph_builder builder = plain_graph("abcj", "^a ab ac bj cj");
    const weft::graph of = builder.fan_out("a", {.on_failure = weft::branch_policy::wait_all}).build();
    scheduler_script run{of};
    run.begin();
    run.ok("a");
    weft::frontier where{run.trail()};
    weft::failure failed;
    failed.code = weft::errc::model_overloaded;
    failed.node = "b";
    failed.visit = 1;
    failed.attempt = 3;
    failed.message = std::string(300, 'm');
    failed.cause = std::make_exception_ptr(weft::error{weft::errc::model_overloaded, "host", "busy"});
    const auto shared = std::make_shared<const weft::failure>(failed);
    failed.cause = std::make_exception_ptr(std::logic_error{"why"});
    where.branches[1].set_previous(shared);
    where.branches[2].set_previous(shared);
    where.regions[0].first_failure = std::make_shared<const weft::failure>(failed);
    const weft::frontier read = through_a_checkpoint(where, of);
    BOOST_TEST(read.branches[1].previous() == read.branches[2].previous());
    BOOST_TEST((weft::code_of(read.branches[1].previous()->cause) == weft::errc::model_overloaded));
    BOOST_TEST(weft::text_of(read.regions[0].first_failure->cause) == "why");
}

BOOST_AUTO_TEST_CASE(every_truncation_and_every_changed_byte_of_a_body_is_refused)
{
    const weft::graph of = rich_graph();
    const strict_thread thread = stored(rich_frontier(of), of);
    weft::checkpoint damaged = thread.head();
    const std::string whole = damaged.body;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        damaged.body = whole.substr(0, size);
        BOOST_REQUIRE_EXCEPTION((void)weft::decode_frontier(damaged, thread.blobs(), of), weft::error, is_refused());
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
        damaged.body = whole;
        damaged.body[at] = static_cast<char>(damaged.body[at] ^ 0x41);
        BOOST_REQUIRE_EXCEPTION((void)weft::decode_frontier(damaged, thread.blobs(), of), weft::error, is_refused());
    }
}

BOOST_AUTO_TEST_CASE(a_missing_blob_and_a_missing_link_are_refused)
{
    const weft::graph of = rich_graph();
    const strict_thread thread = stored(rich_frontier(of), of);
    for (const auto& [hash, one] : thread.blobs()) {
        weft::blob_map others = thread.blobs();
        others.erase(hash);
        BOOST_REQUIRE_EXCEPTION((void)weft::decode_frontier(thread.head(), others, of), weft::error, is_refused());
    }
    weft::checkpoint fewer = thread.head();
    fewer.links.pop_back();
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(fewer, thread.blobs(), of), weft::error, is_refused());
}

BOOST_AUTO_TEST_CASE(a_body_of_a_newer_version_is_refused_with_what_it_needs)
{
    const weft::graph of = plain_graph("a", "^a").build();
    const strict_thread thread = stored(weft::frontier{weft::state{of.layout()}}, of);
    weft::checkpoint newer = thread.head();
    const std::string content = newer.body.substr(1, newer.body.size() - 5);
    newer.body = weft::seal_record(content, 2);
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(newer, thread.blobs(), of), weft::error,
                          says(weft::errc::store_refused, {"version 2", "newer"}));
    weft::record_writer more;
    more.raw(content);
    more.end(more.begin(16, false));  // a part that can be left alone
    newer.body = weft::seal_record(more.bytes(), 1);
    (void)weft::decode_frontier(newer, thread.blobs(), of);
    more.end(more.begin(16));
    newer.body = weft::seal_record(more.bytes(), 1);
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(newer, thread.blobs(), of), weft::error,
                          says(weft::errc::store_refused, {"part 16"}));
}

BOOST_AUTO_TEST_CASE(a_tree_that_counts_more_than_it_has_is_refused)
{
    weft::graph_builder builder = plain_graph("a", "^a");
    const weft::graph of = builder.state(lines).build();
    weft::frontier where{weft::state{of.layout()}};
    weft::list<std::string> all;
    for (int i = 0; i < 300; ++i) all.push_back("line " + std::to_string(i));
    put(where, of, "lines", weft::make_box<weft::list<std::string>>(all));
    const strict_thread thread = stored(where, of);
    for (const auto& [hash, one] : thread.blobs()) {
        weft::blob_map damaged = thread.blobs();
        weft::blob& changed = damaged.at(hash);
        if (changed.links.empty()) continue;
        changed.links.pop_back();
        BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(thread.head(), damaged, of), weft::error, is_refused());
    }
}

BOOST_AUTO_TEST_CASE(the_state_can_be_read_without_the_graph)
{
    const weft::graph of = rich_graph();
    const weft::frontier where = rich_frontier(of);
    const strict_thread thread = stored(where, of);
    const boost::json::object read = weft::decode_state(thread.head(), thread.blobs());
    boost::json::object expected = where.root->root().to_json();
    BOOST_TEST((read == expected), boost::json::serialize(read) << " instead of " << boost::json::serialize(expected));
}

namespace {

/** s sends to w one at a time, what is sent meets at j. */
weft::graph sending_graph()
{
    weft::graph_builder builder = graph_of("wj");
    builder.node("s", [] {}, {.goes_to = {"w"}}).fan_out("s", {.concurrency_max = 1});
    add_edges(builder, "^s wj");
    return builder.build();
}

constexpr std::uint64_t code_of_w = 3;  // nodes count from 2, the start is the first
constexpr std::uint64_t code_of_j = 4;
constexpr std::uint64_t code_of_s = 5;

/** The key at this place was overwritten with a number, or got it as an update. */
void write_entry(weft::record_writer& to, std::uint64_t slot, std::int64_t number, bool is_overwrite)
{
    constexpr std::uint8_t integer = 4;
    to.number(1);
    to.number(slot);
    to.byte(is_overwrite ? 1 : 0);
    to.number(is_overwrite ? 0 : 1);
    to.byte(integer);
    to.signed_number(number);
    if (is_overwrite) to.number(0);
}

std::string beginnings_and_items()
{
    weft::record_writer to;
    to.number(3);
    for (int branch = 0; branch < 3; ++branch) to.number(code_of_w);
    to.number(0);  // groups
    to.number(0);  // targets
    to.number(3);
    for (int item = 0; item < 3; ++item) {
        to.number(code_of_w);
        to.signed_number(0);
        to.number(item < 2 ? 0 : 1);  // of those that have begun nothing is left
        if (item < 2) continue;
        to.number(0);
        to.byte(1);
        to.byte(4);
        to.signed_number(7);
    }
    return to.take();
}

/** As weft wrote it when each fan-out stood whole in its checkpoint: of three items one is done, the second runs. */
std::string body_with_a_whole_fan_out()
{
    weft::record_writer to;
    const auto graph = to.begin(1);
    to.number(0);
    to.end(graph);
    const auto counts = to.begin(2);
    for (const std::uint64_t number : {3, 0, 0, 2}) to.number(number);  // steps, retries, a flag, nodes visited
    to.number(code_of_s);
    to.number(1);
    to.number(code_of_w);
    to.number(2);
    to.end(counts);
    const auto branches = to.begin(5);
    to.number(2);
    to.number(6 | 1u << 8);  // forked
    for (const std::uint64_t number : {code_of_s, std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{1},
                                       std::uint64_t{1}, std::uint64_t{0}})
        to.number(number);
    to.number(2 | 1u << 4 | 1u << 7 | 1u << 9);  // runs, is counted, of a region, with an input
    for (const std::uint64_t number : {code_of_w, std::uint64_t{2}, std::uint64_t{1}, std::uint64_t{1},
                                       std::uint64_t{1}, std::uint64_t{0}, std::uint64_t{1}})
        to.number(number);
    write_entry(to, 0, 2, true);
    to.end(branches);
    const auto regions = to.begin(6);
    to.number(1);
    to.byte(1);
    for (const std::uint64_t number : {std::uint64_t{0}, code_of_s, code_of_j, std::uint64_t{0}}) to.number(number);
    for (const std::uint64_t number : {2, 1, 1, 0, 0}) to.number(number);  // started, running, succeeded, failed
    const std::string fixed = beginnings_and_items();
    to.number(fixed.size() + 1);
    to.raw(fixed);
    for (const std::uint8_t how : {0, 8, 8}) to.byte(how);  // succeeded, and two that have not ended
    weft::record_writer finished;
    finished.number(0);
    write_entry(finished, 2, 1, false);
    to.number(1);
    to.number(finished.size() + 1);
    to.raw(finished.bytes());
    to.number(0);  // keys written
    to.end(regions);
    return weft::seal_record(to.bytes(), 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(F6_a_checkpoint_whose_fan_outs_stand_whole_is_still_read)
{
    const weft::graph of = sending_graph();
    weft::blob shape;
    shape.bytes = weft::graph_table{of}.shape();
    shape.hash = weft::hash_of(shape.bytes, shape.links, strict_thread::key);
    weft::checkpoint stored;
    stored.body = body_with_a_whole_fan_out();
    stored.links = {shape.hash};
    weft::blob_map blobs;
    blobs.emplace(shape.hash, shape);
    const weft::frontier read = weft::decode_frontier(stored, blobs, of);
    BOOST_TEST(weft::first_difference(read, through_a_checkpoint(read, of), of) == "");
    scheduler_script run{of, weft::frontier{read}};
    BOOST_TEST(run.begin() == "start w");
    BOOST_TEST(run.view_of("w").value_or(value, 0) == 2);
    BOOST_TEST(run.ok("w", state_update{}.set(total, 10)) == "start w");
    BOOST_TEST(run.view_of("w").value_or(value, 0) == 7);
    BOOST_TEST(run.ok("w", state_update{}.set(total, 100)) == "start j");
    BOOST_TEST(run.state().get(total) == 111);
    const weft::checkpoint_outline outline = weft::decode_outline(stored, blobs);
    BOOST_TEST_REQUIRE(outline.finished.size() == 1u);
    BOOST_TEST(weft::to_json_text(outline.finished.front().writes) == R"({"total":[1]})");
    BOOST_TEST(outline.next_nodes.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
