// Fuzzes the reading of checkpoints: real ones are changed wherever the input says, their bodies and their blobs,
// behind the sums that would tell it. Whatever is there, reading ends with an error of weft or with a frontier that a
// scheduler can go on from, and that can be written again.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/checkpoint_fuzz.cpp …

#include "engine/scheduler/scheduler.hpp"

#include <weft/base/error.hpp>
#include <weft/base/memory/record_writer.hpp>
#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/engine/checkpoint/checkpoint_writer.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using weft::branch_index;

constexpr weft::hash_key key{{1, 2, 3}};
constexpr weft::state_key<std::string> text{"text"};
constexpr weft::state_key<std::int64_t, weft::add> sum{"sum"};
constexpr weft::state_key<weft::list<std::string>, weft::append> lines{"lines"};

void require(bool holds, const char* what)
{
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

weft::graph inner_graph()
{
    weft::graph_builder builder{"inner"};
    builder.state(text, sum, lines);
    for (const char* node : {"x", "y", "z", "w"}) builder.node(node, [] {});
    return builder.edge(weft::start, "x").edge("x", "y").edge("x", "z").edge("y", "w").edge("z", "w").build();
}

/** a -> (b, a graph -> d, c) -> j -> a; s sends to d. */
const weft::graph& outer_graph()
{
    static const weft::graph made = [] {
        weft::graph_builder builder{"outer"};
        builder.state(text, sum, lines);
        weft::node_options feedback{.retry = {.attempts_max = 2}};
        feedback.gives_feedback = true;
        weft::node_options last;
        last.is_deferred = true;
        builder.node("a", [] {}, feedback).node("b", weft::subgraph{inner_graph()}).node("c", [] {}, feedback);
        builder.node("d", [] {}).node("j", [] {}).node("z", [] {}, last).node("s", [] {}, {.goes_to = {"d"}});
        builder.edge(weft::start, "a").edge("a", "b", {.map = {{"text", "text"}}}).edge("a", "c").edge("a", "s");
        builder.edge("b", "d").edge("d", "j").edge("c", "j").edge("s", "j").edge("a", "z");
        builder.edge_when("j", "a", [](const weft::state_view&) { return false; }).edge("j", weft::end);
        builder.fan_out("a", {.on_failure = weft::branch_policy::continue_others,
                              .branch_timeout = std::chrono::seconds{1}});
        return builder.build();
    }();
    return made;
}

/** Plays a run forwards: every node succeeds, every save is read. */
class player {
public:
    player(const weft::graph& of, weft::frontier from) : of_{of}, scheduler_{of, std::move(from), limits()} {}

    /** @param events   At most so many. @return  Whether the run is over. */
    bool play(int events)
    {
        for (drain(); events > 0 && !is_over_ && !running_.empty(); --events) {
            const branch_index t = running_.begin()->first;
            running_.erase(t);
            end_node(t);
            drain();
        }
        return is_over_;
    }
    [[nodiscard]] bool waits() const { return !running_.empty(); }
    [[nodiscard]] weft::scheduler& scheduler() { return scheduler_; }

private:
    static weft::schedule_limits limits()
    {
        weft::schedule_limits limits;
        limits.steps_max = 0;  // what a damaged record says of steps is no limit
        limits.saves = true;
        return limits;
    }

    void drain()
    {
        while (const auto next = scheduler_.next()) {
            switch (next->what) {
            case weft::action::kind::start_node: running_.emplace(next->branch, 0); break;
            case weft::action::kind::choose_edge: scheduler_.edge_chosen(next->branch, nullptr, nullptr); break;
            case weft::action::kind::wait: scheduler_.retry_due(next->branch); break;
            case weft::action::kind::finish: is_over_ = true; break;
            default: break;
            }
        }
    }

    void end_node(branch_index t)
    {
        const weft::run_branch& at = scheduler_.at(t);
        if (at.is_stopping) return scheduler_.node_stopped(t, {});
        const std::string name{of_.name_of(at.node)};
        if (name == "c" && at.attempt == 1) {
            weft::failure failed;
            failed.node = name;
            failed.message = std::string(120, 'f');
            failed.cause = std::make_exception_ptr(weft::error{weft::errc::timeout, "c"});
            return scheduler_.node_failed(t, std::make_shared<const weft::failure>(std::move(failed)), 0.5);
        }
        if (name != "s") return scheduler_.node_succeeded(t, writes(), weft::command::next());
        weft::sent_items items(3);
        for (weft::sent_item& item : items) {
            item.target = of_.find("d");
            item.input = writes();
        }
        scheduler_.node_sent(t, writes(), std::move(items));
    }

    weft::write_set writes() const
    {
        const weft::state_layout& layout = *of_.layout();
        weft::write_set all;
        all.push_back({layout.find("text"), false, false, weft::make_box<std::string>(std::string(90, 't'))});
        all.push_back({layout.find("sum"), false, false, weft::make_box<std::int64_t>(1)});
        for (int i = 0; i < 20; ++i)
            all.push_back({layout.find("lines"), false, false,
                           weft::make_box<std::string>(std::string(static_cast<std::size_t>(i) * 4, 'l'))});
        return all;
    }

    const weft::graph& of_;
    weft::scheduler scheduler_;
    std::map<branch_index, int> running_;
    bool is_over_ = false;
};

struct stored {
    weft::checkpoint head;
    weft::blob_map blobs;
};

stored written(const weft::frontier& where)
{
    weft::checkpoint_writer writer{outer_graph(), key};
    weft::checkpoint_draft draft = writer.write(where);
    stored result;
    result.head.body = std::move(draft.body);
    result.head.links = std::move(draft.links);
    for (weft::blob& one : draft.blobs) {
        const weft::content_hash name = one.hash;
        result.blobs.emplace(name, std::move(one));
    }
    return result;
}

/** Checkpoints of one run after each of its first events; where b runs, its graph stands within. */
const std::vector<stored>& real_checkpoints()
{
    static const std::vector<stored> all = [] {
        std::vector<stored> result;
        const weft::graph inner = inner_graph();
        for (int events = 0; events < 10; ++events) {
            player run{outer_graph(), weft::frontier{weft::state{outer_graph().layout()}}};
            (void)run.play(events);
            weft::frontier where{run.scheduler().restart().to_save()};
            for (branch_index t = 0; t < where.branches.size(); ++t) {
                if (outer_graph().name_of(where.branches[t].node) != "b") continue;
                player inside{inner, weft::frontier{weft::state{inner.layout()}}};
                (void)inside.play(2);
                where.extra().inner.emplace_back(
                    t, std::make_shared<const weft::frontier>(inside.scheduler().restart().to_save()));
            }
            result.push_back(written(where));
        }
        return result;
    }();
    return all;
}

/** The input as places, ways and values of changes. */
class changes {
public:
    changes(const std::uint8_t* data, std::size_t size) : data_{data}, left_{size} {}
    std::uint32_t below(std::size_t bound)
    {
        std::uint32_t number = 0;
        for (std::size_t most = bound; most > 0; most >>= 8) number = number << 8 | next();
        return bound == 0 ? 0 : static_cast<std::uint32_t>(number % bound);
    }
    [[nodiscard]] bool is_used_up() const { return left_ == 0; }

private:
    std::uint8_t next()
    {
        if (left_ == 0) return 0;
        --left_;
        return *data_++;
    }
    const std::uint8_t* data_;
    std::size_t left_;
};

void change(std::string& bytes, changes& by)
{
    const std::size_t at = by.below(bytes.size() + 1);
    switch (by.below(5)) {
    case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(by.below(256));
        return;
    case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << by.below(8)));
        return;
    case 2: bytes.erase(at, 1 + by.below(4)); return;
    case 3: bytes.insert(at, 1, static_cast<char>(by.below(256))); return;
    default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] + (by.below(2) == 0 ? 1 : -1));
        return;
    }
}

void change_links(std::vector<weft::content_hash>& links, changes& by)
{
    if (links.empty()) return;
    const std::size_t at = by.below(links.size());
    switch (by.below(3)) {
    case 0: links.erase(links.begin() + static_cast<std::ptrdiff_t>(at)); return;
    case 1: std::swap(links[at], links[by.below(links.size())]); return;
    default: links[at] = links[by.below(links.size())]; return;
    }
}

stored changed(stored from, changes& by)
{
    std::string content = from.head.body.substr(1, from.head.body.size() - 5);
    while (!by.is_used_up()) {
        const std::uint32_t what = by.below(8);
        if (what < 5) {
            change(content, by);
        } else if (what == 5) {
            change_links(from.head.links, by);
        } else if (!from.blobs.empty()) {
            auto at = from.blobs.begin();
            std::advance(at, by.below(from.blobs.size()));
            if (what == 6) change(at->second.bytes, by);
            else change_links(at->second.links, by);
        }
    }
    from.head.body = weft::seal_record(content, 1);
    return from;
}

bool is_expected(weft::errc code)
{
    return code == weft::errc::store_corrupt || code == weft::errc::store_refused ||
           code == weft::errc::graph_changed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    changes by{data, size};
    const auto& all = real_checkpoints();
    const stored damaged = changed(all[by.below(all.size())], by);
    std::optional<weft::frontier> where;
    try {
        where.emplace(weft::decode_frontier(damaged.head, damaged.blobs, outer_graph()));
    } catch (const weft::error& e) {
        require(is_expected(e.code()) && !e.where().empty(), "a damaged checkpoint is refused with its place");
    }
    try {
        (void)weft::decode_state(damaged.head, damaged.blobs);
    } catch (const weft::error& e) {
        require(is_expected(e.code()) && !e.where().empty(), "a damaged state is refused with its place");
    }
    try {
        const weft::checkpoint_outline outline = weft::decode_outline(damaged.head, damaged.blobs);
        require(!where || outline.steps == where->steps, "a checkpoint says the same without its graph");
    } catch (const weft::error& e) {
        require(is_expected(e.code()) && !e.where().empty(), "a damaged checkpoint has no outline");
    }
    if (!where) return 0;
    const stored again = written(*where);
    (void)weft::decode_frontier(again.head, again.blobs, outer_graph());
    for (const weft::run_branch& t : where->branches)
        if (t.phase != weft::branch_phase::free) {
            player run{outer_graph(), std::move(*where)};
            require(run.play(2000) || run.waits(), "a run that is read goes on");
            break;
        }
    return 0;
}
