#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <weft/base/json.hpp>
#include <weft/base/list.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/engine/checkpoint/checkpoint_writer.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/describe.hpp>
#include <boost/json/serialize.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

struct turn {
    std::string role;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(turn, (), (role, text))

using turns = weft::list<turn>;

constexpr weft::state_key<std::int64_t> attempts{"attempts"};
constexpr weft::state_key<double> rating{"score"};
constexpr weft::state_key<std::string> subject{"topic"};
constexpr weft::state_key<turns> talk{"messages"};
constexpr std::size_t message_bytes = 1024;
constexpr weft::hash_key key{{1, 2, 3}};

weft::graph five_nodes()
{
    weft::graph_builder builder{"five"};
    builder.state(attempts, rating, subject, talk);
    for (const char* node : {"a", "b", "c", "d", "e"}) builder.node(node, [] {});
    return builder.edge(weft::start, "a").edge("a", "b").edge("b", "c").edge("c", "d").edge("d", "e").build();
}

turns turns_of(int count)
{
    turns made;
    for (int i = 0; i < count; ++i) made.push_back({"user", std::to_string(i) + std::string(message_bytes, 'm')});
    return made;
}

/** A run, as it stands after each step. */
class stepping {
public:
    explicit stepping(int count) : where_{weft::state{of_.layout()}}, all_{turns_of(count)}
    {
        put(subject, std::string{"rain"});
        put(talk, all_);
    }
    template <class T, class R, class U>
    void put(const weft::state_key<T, R>& at, U&& value)
    {
        where_.root->root().writable(of_.layout()->find(at.name())) = weft::make_box<T>(std::forward<U>(value));
    }
    void step(std::int64_t number)
    {
        ++where_.steps;
        where_.path.push_back(1 + where_.steps % 5);
        where_.path.settle();
        put(attempts, number);
        put(rating, static_cast<double>(number) / 7);
    }
    void say()
    {
        all_.push_back({"assistant", std::string(message_bytes, 'a')});
        put(talk, all_);
    }
    /** Gives the bytes of the draft. */
    std::size_t save()
    {
        const weft::checkpoint_draft draft = writer_.write(where_);
        writer_.written();
        std::size_t bytes = draft.body.size() + draft.links.size() * sizeof(weft::content_hash);
        for (const weft::blob& one : draft.blobs) bytes += one.bytes.size();
        return bytes;
    }
    [[nodiscard]] const weft::frontier& where() const { return where_; }
    [[nodiscard]] const weft::graph& of() const { return of_; }
    [[nodiscard]] weft::checkpoint_writer& writer() { return writer_; }

private:
    weft::graph of_ = five_nodes();
    weft::frontier where_;
    turns all_;
    weft::checkpoint_writer writer_{of_, key};
};

constexpr int writes = 20'000;

double write_us()
{
    stepping run{10};
    (void)run.save();
    const double before = thread_cpu_ns();
    std::size_t bytes = 0;
    for (int i = 0; i < writes; ++i) {
        run.step(i);
        bytes += run.save();
    }
    require(bytes > std::size_t{writes} * 50, "a checkpoint lacks what changed");
    return (thread_cpu_ns() - before) / 1000 / writes;
}

/** By hand: the steps, and the values as JSON in a text. */
double write_by_hand_us()
{
    stepping run{10};
    const double before = thread_cpu_ns();
    std::size_t bytes = 0;
    for (int i = 0; i < writes; ++i) {
        run.step(i);
        std::string body = boost::json::serialize(
            boost::json::value{{"attempts", i}, {"score", i / 7.0}, {"topic", "rain"}, {"step", run.where().steps}});
        bytes += body.size();
    }
    require(bytes > std::size_t{writes} * 50, "a text lacks what changed");
    return (thread_cpu_ns() - before) / 1000 / writes;
}

double say_us(int count)
{
    constexpr int steps = 1000;
    stepping run{count};
    (void)run.save();
    const double before = thread_cpu_ns();
    std::size_t bytes = 0;
    for (int i = 0; i < steps; ++i) {
        run.step(i);
        run.say();
        bytes += run.save();
    }
    require(bytes < std::size_t{steps} * message_bytes * 2, "a step stored more than its message");
    return (thread_cpu_ns() - before) / 1000 / steps;
}

struct stored_run {
    weft::graph of = five_nodes();
    weft::checkpoint head;
    weft::blob_map blobs;
    std::vector<std::string> texts;
};

stored_run thousand_steps()
{
    stored_run result;
    stepping run{0};
    for (int i = 0; i < 1000; ++i) {
        run.step(i);
        run.say();
        weft::checkpoint_draft draft = run.writer().write(run.where());
        run.writer().written();
        for (weft::blob& one : draft.blobs) {
            const weft::content_hash name = one.hash;
            result.blobs.insert_or_assign(name, std::move(one));
        }
        result.head.body = std::move(draft.body);
        result.head.links = std::move(draft.links);
    }
    for (int i = 0; i < 1000; ++i)
        result.texts.push_back(boost::json::serialize(
            boost::json::value{{"role", "assistant"}, {"text", std::string(message_bytes, 'a')}}));
    return result;
}

double resume_ms(const stored_run& run)
{
    const double before = thread_cpu_ns();
    const weft::frontier where = weft::decode_frontier(run.head, run.blobs, run.of);
    require(where.root->root().get(talk).size() == 1000, "a resumed thread lacks messages");
    require(where.path.size() == 1000, "a resumed thread lacks steps");
    return (thread_cpu_ns() - before) / 1e6;
}

double parse_ms(const stored_run& run)
{
    const double before = thread_cpu_ns();
    std::vector<turn> all;
    for (const std::string& text : run.texts) all.push_back(weft::from_json<turn>(weft::parse_json(text)));
    require(all.size() == 1000, "a text was not read");
    return (thread_cpu_ns() - before) / 1e6;
}

double snapshot_ns(int count)
{
    constexpr int copies = 10'000;
    stepping run{count};
    for (int i = 0; i < 1000; ++i) run.step(i);
    std::optional<weft::frontier> kept;
    const double before = thread_cpu_ns();
    for (int i = 0; i < copies; ++i) kept.emplace(run.where());
    require(kept->root->root().get(talk).size() == static_cast<std::size_t>(count), "a copy lacks messages");
    return (thread_cpu_ns() - before) / copies;
}

}  // namespace

benchmarks checkpoint_benchmarks()
{
    return {
        {"checkpoint_write", "us CPU", "a step that changed two small keys of five nodes; floor: JSON of them by hand",
         "<= 2", [] { return take_turns(15, &write_us, &write_by_hand_us); }},
        {"checkpoint_history_10000", "us CPU",
         "a step that adds 1 KB to a conversation of 10,000 messages; floor: of 10", "ratio <= 2",
         [] { return take_turns(9, [] { return say_us(10'000); }, [] { return say_us(10); }); }},
        {"checkpoint_snapshot", "ns CPU", "a copy of where a run of 10,000 messages stands; floor: of 10", "<= 1000",
         [] { return take_turns(9, [] { return snapshot_ns(10'000); }, [] { return snapshot_ns(10); }); }},
        {"resume_1000", "ms CPU", "1,000 steps with 1 KB each, read; floor: reading those messages' JSON by hand",
         "<= 5",
         [] {
             const stored_run run = thousand_steps();
             return take_turns(15, [&] { return resume_ms(run); }, [&] { return parse_ms(run); });
         }},
    };
}

}  // namespace weft_bench
