// Fuzzes the scheduler: on any graph that builds, and whatever nodes, timers and people do, every branch ends, every
// fan-out joins once or fails, limits hold, nothing starts after the end, and the run never hangs. What happens is the
// same if every frontier that a run is taken up from was a checkpoint in between.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/scheduler_fuzz.cpp …

#include "engine/scheduler/scheduler.hpp"
#include "fuzz_checkpoints.hpp"

#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <boost/json/serialize.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace weft_fuzz;
using weft::branch_index;

constexpr weft::state_key<std::int64_t, weft::add> sum{"sum"};

/** The input as a source of small choices; zeros when it is used up. */
class choices {
public:
    choices(const std::uint8_t* data, std::size_t size) : data_{data}, left_{size} {}
    std::uint32_t below(std::uint32_t bound)
    {
        if (left_ == 0) return 0;
        --left_;
        return *data_++ % bound;
    }
    [[nodiscard]] bool is_used_up() const { return left_ == 0; }

private:
    const std::uint8_t* data_;
    std::size_t left_;
};

std::string name_of_node(std::uint32_t index) { return "n" + std::to_string(index); }

weft::branch_policy some_policy(choices& from)
{
    switch (from.below(6)) {
    case 0: return weft::branch_policy::fail_all;
    case 1: return weft::branch_policy::continue_others;
    case 2: return weft::branch_policy::wait_all;
    case 3: return weft::branch_policy::first_success;
    default: return weft::branch_policy::quorum(1 + from.below(3));
    }
}

void add_edge(weft::graph_builder& builder, choices& from, std::string_view source, std::string_view target)
{
    weft::edge_options options;
    options.priority = static_cast<int>(from.below(3));
    if (from.below(4) == 1) options.map = {{"last", "last"}};
    switch (source == weft::start ? 0 : from.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3: builder.edge(source, target, options); return;
    case 4: builder.edge_on_success(source, target, options); return;
    case 5: builder.edge_on_failure(source, target, options); return;
    case 6: builder.edge_always(source, target, options); return;
    case 7:
        builder.edge_label(source, {{std::string(1, static_cast<char>('a' + from.below(2))), std::string{target}}});
        return;
    case 8: builder.edge_llm(source, {std::string{target}}, {.fallback = std::string{weft::end}}); return;
    default: builder.edge_when(source, target, [](const weft::state_view&) { return true; }, options); return;
    }
}

weft::graph_builder describe(choices& from)
{
    weft::graph_builder builder{"fuzz"};
    builder.state(last, sum);
    builder.conflict(static_cast<weft::conflict_strategy>(from.below(4)));
    const std::uint32_t count = 1 + from.below(10);
    for (std::uint32_t n = 0; n < count; ++n) {
        weft::node_options options;
        options.retry.attempts_max = static_cast<int>(from.below(3));
        options.visits_max = from.below(4);
        const std::uint32_t traits = from.below(32);
        options.is_deferred = traits == 1;
        options.gives_feedback = (traits & 2) != 0;
        if (traits & 4) options.clears = {"last"};
        if (traits & 8) options.routing = weft::routing::first_match;
        if (traits & 16)
            builder.node(name_of_node(n), weft::subgraph{graph_in_node()}, options);
        else
            builder.node(name_of_node(n), [] {}, options);
        // An edge from an earlier node keeps every node reachable.
        const std::uint32_t source = from.below(n + 1);
        builder.edge(source == n ? std::string{weft::start} : name_of_node(source), name_of_node(n));
        weft::fan_out_options fan_out;
        fan_out.on_failure = some_policy(from);
        fan_out.concurrency_max = from.below(3);
        fan_out.branch_timeout = std::chrono::milliseconds{from.below(2)};
        builder.fan_out(name_of_node(n), fan_out);
    }
    for (std::uint32_t more = from.below(12); more > 0; --more) {
        const std::uint32_t target = from.below(count + 1);
        const std::uint32_t source = from.below(count);
        add_edge(builder, from, name_of_node(source),
                 target == count ? std::string{weft::end} : name_of_node(target));
    }
    if (from.below(8) == 1) builder.fan_in(name_of_node(from.below(count)), name_of_node(from.below(count)));
    return builder;
}

/** Plays the driver: does what the scheduler says, and lets the input decide what happens next. */
class player {
public:
    enum class keeping { as_it_is, by_checkpoints };

    player(const weft::graph& of, choices& from, keeping how) : graph_{of}, from_{from}
    {
        if (how == keeping::by_checkpoints) checkpoints_.emplace(of);
        limits_.steps_max = 1 + from.below(40);
        limits_.in_flight_max = from.below(5);
        limits_.saves = true;
        limits_.notices = true;
        const std::uint32_t durable = from.below(16);
        limits_.holds_for_save = durable & 1;
        limits_.saves_starts = limits_.holds_for_save && (durable & 2);
        limits_.saves_end = limits_.holds_for_save && (durable & 4);
        pauses_when_parked_ = durable & 8;
        begin(weft::frontier{weft::state{of.layout()}});
    }

    void play()
    {
        // When the input is used up every node succeeds: at most 40 visits and what had started before.
        for (int events = 0; !is_over_; events += from_.is_used_up() ? 1 : 0) {
            require(events < 200, "the run ends after a bounded number of events");
            require(!running_.empty() || !waiting_.empty() || !deciding_.empty() || is_saving_,
                    "a run that is not over waits for something");
            happen();
            drain();
            check_frontier();
        }
    }
    /** What was done, in order. */
    [[nodiscard]] const std::string& story() const { return story_; }

private:
    [[nodiscard]] weft::frontier kept(const weft::frontier& where)
    {
        return checkpoints_ ? checkpoints_->through(where) : where;
    }

    void tell(const weft::action& next)
    {
        story_ += std::to_string(static_cast<int>(next.what)) + ' ' + std::to_string(static_cast<int>(next.notice)) +
                  ' ' + std::to_string(next.branch) + ' ' + std::to_string(next.node) + ' ' +
                  std::to_string(next.number) + ' ' + std::to_string(next.edge) + ' ' +
                  std::to_string(next.delay.count()) + '\n';
    }

    void begin(weft::frontier where)
    {
        scheduler_.emplace(graph_, std::move(where), limits_);
        if (pauses_when_parked_)
            scheduler_->nodes().when_parked(weft::parked_rule::pause);
        else
            scheduler_->nodes().when_parked(weft::parked_rule::notify);
        running_.clear();
        parked_.clear();
        dropping_.clear();
        is_saving_ = false;
        waiting_.clear();
        deciding_.clear();
        armed_.clear();
        is_over_ = false;
        is_pausing_ = false;
        drain();
        check_frontier();
    }

    void drain()
    {
        while (const auto next = scheduler_->next()) {
            require(!is_over_, "nothing follows finish");
            perform(*next);
        }
        if (is_over_) check_end();
    }

    void perform(const weft::action& next)
    {
        tell(next);
        const branch_index t = next.branch;
        switch (next.what) {
        case weft::action::kind::start_node: return start(t);
        case weft::action::kind::choose_edge: return choose(t);
        case weft::action::kind::decide:
            require(scheduler_->at(t).phase == weft::branch_phase::deciding, "who is asked for decides");
            require(deciding_.insert(t).second, "a model is asked once");
            return;
        case weft::action::kind::stop_node:
            if (deciding_.contains(t)) return;  // it hears of it when the model has answered
            require(running_.contains(t), "only a running node is stopped");
            require(!std::exchange(running_[t], true), "a node is stopped once");
            return;
        case weft::action::kind::wait: require(waiting_.insert(t).second, "a token waits once"); return;
        case weft::action::kind::stop_waiting: require(waiting_.erase(t) == 1, "it waited"); return;
        case weft::action::kind::arm_branch: require(armed_.insert(t).second, "armed once"); return;
        case weft::action::kind::disarm_branch: require(armed_.erase(t) == 1, "it was armed"); return;
        case weft::action::kind::save: return save();
        case weft::action::kind::drop_node:
            require(parked_.erase(t) == 1, "only who waits for answers is taken down");
            require(dropping_.insert(t).second, "a node is taken down once");
            return;
        case weft::action::kind::all_parked:
            require(!pauses_when_parked_ && running_.size() == parked_.size(), "nothing else runs");
            return;
        case weft::action::kind::notice: return;
        case weft::action::kind::finish: is_over_ = true; return;
        }
    }

    /** Saves that hold the run are reported; the others are done. */
    void save()
    {
        require(!is_saving_, "one save is under way at a time");
        kept_.emplace(kept(scheduler_->restart().to_save()));
        is_saving_ = limits_.holds_for_save;
    }

    void report_save()
    {
        is_saving_ = false;
        if (from_.below(12) != 1) return scheduler_->saved();
        has_lost_end_ = scheduler_->course().is_over();
        scheduler_->save_failed(some_failure(0));
    }

    void start(branch_index t)
    {
        require(!is_saving_, "nothing starts while a save holds the run");
        require(!is_pausing_, "nothing starts after a pause");
        require(running_.emplace(t, false).second, "a token runs one node at a time");
        require(limits_.in_flight_max == 0 || running_.size() - parked_.size() <= limits_.in_flight_max,
                "in_flight_max holds");
        const weft::run_branch& branch = scheduler_->at(t);
        require(branch.phase == weft::branch_phase::running && !branch.is_stopping, "a started token runs");
        require(branch.attempt >= 1 && branch.visit >= 1, "visits and attempts count from 1");
        const weft::node_options& options = *graph_.node(branch.node).options;
        require(static_cast<int>(branch.attempt) <= std::max(options.retry.attempts_max, 1), "attempts_max holds");
        require(options.visits_max == 0 || branch.visit <= options.visits_max, "visits_max holds");
        if (branch.region == weft::no_index) return;
        const weft::region& region = scheduler_->where().regions[branch.region];
        require(!region.is_decided, "no node of a decided fan-out starts");
        const std::uint32_t most = graph_.node(region.source).fan_out.concurrency_max;
        require(most == 0 || region.running <= most, "concurrency_max holds");
    }

    void choose(branch_index t)
    {
        const auto& node = graph_.node(scheduler_->at(t).node);
        const auto edges = graph_.conditional(node);
        require(!edges.empty(), "there is something to choose from");
        const std::uint32_t chosen = from_.below(static_cast<std::uint32_t>(edges.size()) + 2);
        if (chosen < edges.size()) return scheduler_->edge_chosen(t, &edges[chosen], nullptr);
        scheduler_->edge_chosen(t, nullptr, chosen == edges.size() ? nullptr : some_failure(t));
    }

    weft::failure_ptr some_failure(branch_index t)
    {
        weft::failure failure;
        failure.node = graph_.name_of(scheduler_->at(t).node);
        failure.message = "failed";
        return std::make_shared<const weft::failure>(std::move(failure));
    }

    void happen()
    {
        switch (from_.below(16)) {
        case 1: return crash();
        case 2: return time_out();
        case 3:
            if (from_.below(4) != 1) break;
            is_pausing_ = true;
            return scheduler_->pause();
        case 4:
            if (from_.below(4) == 1) return scheduler_->stop(from_.below(2) ? some_failure(0) : nullptr);
            break;
        case 5: return park();
        case 6:
            if (is_saving_) return report_save();
            break;
        default: break;
        }
        const auto sum = static_cast<std::uint32_t>(running_.size() + waiting_.size() + deciding_.size());
        if (sum == 0) return report_save();
        const std::uint32_t which = from_.below(sum);
        if (which >= running_.size() + waiting_.size()) return decide(which - running_.size() - waiting_.size());
        if (which >= running_.size()) {
            const auto due = std::next(waiting_.begin(), which - static_cast<std::uint32_t>(running_.size()));
            const branch_index t = *due;
            waiting_.erase(due);
            return scheduler_->retry_due(t);
        }
        end_node(std::next(running_.begin(), which)->first);
    }

    /** A running node waits for answers, or goes on. */
    void park()
    {
        if (running_.empty()) return;
        const auto one = std::next(running_.begin(), from_.below(static_cast<std::uint32_t>(running_.size())));
        const branch_index t = one->first;
        if (one->second || dropping_.contains(t)) return;
        if (parked_.erase(t) == 1) return scheduler_->node_unparked(t);
        parked_.insert(t);
        scheduler_->node_parked(t);
    }

    void decide(std::size_t which)
    {
        const auto asked = std::next(deciding_.begin(), static_cast<std::ptrdiff_t>(which));
        const branch_index t = *asked;
        deciding_.erase(asked);
        const weft::graph_node& node = graph_.node(scheduler_->at(t).node);
        const auto edges = graph_.by_llm(node);
        const std::uint32_t chosen = from_.below(static_cast<std::uint32_t>(edges.size()) + 1);
        scheduler_->decided(t, chosen < edges.size() ? edges[chosen].target : node.fallback);
    }

    /** The driver dies and a new one takes the run up from the frontier that was kept last. */
    void crash()
    {
        weft::frontier where = kept_ ? *kept_ : kept(scheduler_->where());
        begin(from_.below(2) ? std::move(where) : kept(scheduler_->where()));
    }

    void time_out()
    {
        if (armed_.empty()) return;
        const auto late = std::next(armed_.begin(), from_.below(static_cast<std::uint32_t>(armed_.size())));
        scheduler_->branch_timed_out(*late);
    }

    void end_node(branch_index t)
    {
        const bool is_stopping = running_.at(t);
        require(is_stopping == scheduler_->at(t).is_stopping, "who is asked to stop knows it");
        if (parked_.erase(t) == 1) scheduler_->node_unparked(t);
        running_.erase(t);
        if (dropping_.erase(t) == 1) return scheduler_->node_dropped(t);
        const std::uint32_t how = from_.below(6);
        const weft::node_body& body = *graph_.node(scheduler_->at(t).node).body;
        if (body.inner() && from_.below(2) == 1)
            scheduler_->restart().note_inner(t, place_in_node(body.inner()->graph));
        if (is_stopping && how < 3) return scheduler_->node_stopped(t, some_writes(how == 0));
        if (how == 4 && from_.below(2)) return scheduler_->node_sent(t, some_writes(false), some_items());
        if (how == 3 && !is_stopping && body.inner() && from_.below(2) == 1) {
            is_pausing_ = true;
            return scheduler_->node_paused(t, place_in_node(body.inner()->graph));
        }
        if (how == 5) return scheduler_->node_failed(t, some_failure(t), 0.5, from_.below(3) != 1);
        scheduler_->node_succeeded(t, some_writes(false), some_command());
    }

    weft::write_set some_writes(bool is_published)
    {
        weft::write_set writes;
        const std::uint32_t what = from_.below(4);
        if (what & 1) writes.push_back({0, false, is_published, weft::make_box<std::int64_t>(1)});
        if (what & 2) writes.push_back({1, false, is_published, weft::make_box<std::int64_t>(1)});
        return writes;
    }

    weft::sent_items some_items()
    {
        weft::sent_items items(from_.below(4));
        for (weft::sent_item& item : items) {
            item.target = 1 + from_.below(static_cast<std::uint32_t>(graph_.size()) - 1);
            if (graph_.node(item.target).is_deferred) item.target = graph_.node(1).is_deferred ? 0 : 1;
            item.input = some_writes(false);
            item.timeout = std::chrono::milliseconds{from_.below(2)};
        }
        // The driver refuses items that go nowhere.
        std::erase_if(items, [](const weft::sent_item& item) { return item.target == weft::start_node; });
        return items;
    }

    weft::command some_command()
    {
        switch (from_.below(14)) {
        case 12: return weft::command::label("a");
        case 13: return weft::command::label("b");
        case 1: return weft::command::end();
        case 2: return weft::command::again();
        case 3: return weft::command::fail("on purpose");
        case 4: return weft::command::go_to(name_of_node(from_.below(12)));
        default: return weft::command::next();
        }
    }

    void check_frontier()
    {
        if (is_over_) return;
        const weft::frontier& where = scheduler_->where();
        require(where.steps <= limits_.steps_max, "steps_max holds");
        std::vector<std::uint32_t> tokens_of(where.regions.size());
        for (branch_index t = 0; t < where.branches.size(); ++t) {
            const weft::run_branch& branch = where.branches[t];
            require((branch.phase == weft::branch_phase::running) == running_.contains(t), "running means running");
            if (branch.phase == weft::branch_phase::free) continue;
            const bool is_over = branch.phase == weft::branch_phase::broken_off;  // kept for a resume of a failed run
            if (branch.region != weft::no_index && !is_over) ++tokens_of[branch.region];
            require(is_over || (branch.phase == weft::branch_phase::forked) == (branch.fork != weft::no_index),
                    "forked means forked");
            if (branch.fork != weft::no_index)
                require(where.regions[branch.fork].parent == t, "a fork knows its parent");
        }
        for (weft::region_index r = 0; r < where.regions.size(); ++r) {
            const weft::region& region = where.regions[r];
            require(region.running == tokens_of[r], "a fan-out counts its branches");
            if (!region.is_open) continue;
            require(region.started <= region.size(), "a branch starts once");
            require(region.succeeded + region.failed + region.running <= region.started, "a branch ends once");
            // One whose branch is kept for a resume of a failed run is kept as it is.
            const bool is_kept = where.branches[region.parent].phase == weft::branch_phase::broken_off;
            require(is_kept || region.running > 0 || region.started < region.size(), "a settled fan-out is closed");
        }
    }

    void check_end()
    {
        require(running_.empty(), "no node outlives the run");
        require(!scheduler_->next(), "after finish comes nothing");
        require(scheduler_->where().steps <= limits_.steps_max, "steps_max holds");
        if (scheduler_->course().status() == weft::run_status::paused) {
            require(waiting_.empty(), "a paused run waits for no retry");
            require(!scheduler_->course().unfinished().empty(), "a paused run says where it goes on");
            if (from_.is_used_up() || from_.below(4) == 1) return;
            return begin(kept(scheduler_->where()));
        }
        // A pause that is not kept is none, and nothing moves any more.
        const weft::run_course& course = scheduler_->course();
        if (has_lost_end_) return require(course.status() == weft::run_status::failed, "a lost end is told");
        require(waiting_.empty() && armed_.empty(), "no timer outlives the run");
        (void)kept(scheduler_->where());
        story_ += boost::json::serialize(scheduler_->where().root->root().to_json());
        require(course.status() != weft::run_status::failed || course.why(), "a failure has a reason");
        for (const weft::run_branch& branch : scheduler_->where().branches)
            require(branch.phase == weft::branch_phase::free, "every token has ended");
        for (const weft::region& region : scheduler_->where().regions)
            require(!region.is_open, "every fan-out is closed");
    }

    const weft::graph& graph_;
    choices& from_;
    weft::schedule_limits limits_;
    std::optional<weft::scheduler> scheduler_;
    std::map<branch_index, bool> running_;  // whether it was asked to stop
    std::set<branch_index> parked_;         // of those that run
    std::set<branch_index> dropping_;       // of those that run
    std::set<branch_index> waiting_;
    std::set<branch_index> deciding_;
    std::set<branch_index> armed_;
    std::optional<weft::frontier> kept_;
    std::optional<checkpoints> checkpoints_;
    std::string story_;
    bool is_over_ = false;
    bool is_pausing_ = false;
    bool is_saving_ = false;
    bool has_lost_end_ = false;
    bool pauses_when_parked_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    choices from{data, size};
    const auto built = describe(from).try_build();
    const auto* const graph = std::get_if<weft::graph>(&built);
    if (!graph) return 0;
    choices same = from;
    player as_it_is{*graph, from, player::keeping::as_it_is};
    as_it_is.play();
    player by_checkpoints{*graph, same, player::keeping::by_checkpoints};
    by_checkpoints.play();
    require(as_it_is.story() == by_checkpoints.story(), "a checkpoint changes nothing of what follows");
    return 0;
}
