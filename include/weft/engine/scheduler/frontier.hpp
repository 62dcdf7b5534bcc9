#pragma once

#include <weft/base/budget_ledger.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/memory/copied_ptr.hpp>
#include <weft/base/memory/free_list.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/base/memory/pooled_vector.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/scheduler/ended_branches.hpp>
#include <weft/engine/scheduler/node_path.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/engine/scheduler/run_identity.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/failure.hpp>
#include <weft/graph/node/joined_branches.hpp>
#include <weft/graph/state/branch_state.hpp>

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace weft {

using branch_index = std::uint32_t;
using region_index = std::uint32_t;
inline constexpr std::uint32_t no_index = 0xffff'ffff;

/** A `pooled_vector` with room for `Size` items in itself: most runs have one branch. */
template <class T, std::size_t Size>
using small_vector = boost::container::small_vector<T, Size, block_allocator<T>>;

/** What a branch is doing. */
enum class branch_phase : std::uint8_t {
    free,      ///< Not in use.
    ready,     ///< Waits for its turn to start its node.
    running,   ///< Its node runs.
    choosing,  ///< Its node has ended; the predicates of its edges are being asked.
    deciding,  ///< Its node has ended; a model is being asked where to go.
    waiting,   ///< Its node failed and will be tried again.
    forked,    ///< Its branches run; it goes on at their join.
    broken_off,  ///< It failed or was stopped in an open fan-out: a resume of the failed run begins it again.
};

/** What came before the visit of a branch; most branches have none. */
struct branch_past {
    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

    failure_ptr failed;  ///< Why its last attempt, or the node before a failure edge, failed.
    intrusive_ptr<const joined_branches> branches;  ///< For the node at a join: how its branches ended.
};

/** Where one branch of a run stands. The first branch is the run itself, before and after its fan-outs. */
struct run_branch {
    node_index node = start_node;
    std::uint32_t visit = 0;
    std::uint32_t attempt = 0;
    branch_phase phase = branch_phase::free;
    bool is_stopping = false;                   ///< It was asked to stop and has not ended yet.
    bool is_counted = false;                    ///< Its visit is counted; a retry or a resume does not count again.
    bool has_paused = false;                    ///< The run has paused before this visit; it does not so again.
    bool is_parked = false;                     ///< Its node runs and only waits for answers.
    /** Its node has failed for good and looks for an edge; of one that is broken off: its node is to run again. */
    bool has_failed = false;
    bool is_leaving = false;                    ///< On its way out: it lives on the reserve of the run's limits.
    region_index region = no_index;             ///< The fan-out it is a branch of.
    std::uint32_t branch = 0;                   ///< Which branch of it.
    region_index fork = no_index;               ///< The fan-out it waits for, if forked.
    std::uint32_t step = 0;                     ///< How many node visits its branch has made, this one included.
    std::uint32_t in_a_row = 0;                 ///< How often it has started this node without another in between.
    copied_ptr<branch_state> input;             ///< What only this branch sees: values sent to it. Mostly null.
    copied_ptr<branch_state> own;               ///< Its writes; null until it has some.
    copied_ptr<branch_past> past;               ///< Mostly null.

    /** Null if nothing has failed before. */
    [[nodiscard]] const failure_ptr& previous() const noexcept { return past ? past->failed : no_failure; }
    void set_previous(failure_ptr why)
    {
        if (why || past) own_past().failed = std::move(why);
    }
    /** Null anywhere but at a join. */
    [[nodiscard]] const joined_branches* branches() const noexcept { return past ? past->branches.get() : nullptr; }
    void set_branches(intrusive_ptr<const joined_branches> ended)
    {
        if (ended || past) own_past().branches = std::move(ended);
    }

    /** Whether the visit that it has ended will begin again: with its next attempt, or with a resume of the run that it
     *  has failed. Then the effects of the visit are still wanted. */
    [[nodiscard]] bool is_visited_again() const noexcept
    {
        const bool looks_for_edge = phase == branch_phase::choosing && has_failed;
        return phase == branch_phase::waiting || phase == branch_phase::broken_off || looks_for_edge;
    }

private:
    static inline const failure_ptr no_failure;
    [[nodiscard]] branch_past& own_past()
    {
        if (!past) past = std::make_unique<branch_past>();
        return *past;
    }
};

/** One item of a dynamic fan-out that has not begun. */
struct sent_item {
    node_index target = no_node;
    write_set input;
    std::chrono::nanoseconds timeout{0};        ///< 0: the fan-out's.
};

/** What is sent to the branches of a dynamic fan-out, in their order. */
using sent_items = std::vector<sent_item, block_allocator<sent_item>>;
/** The same, shared by the copies of a fan-out. */
struct shared_items final : ref_counted<shared_items> {
    explicit shared_items(sent_items of) noexcept : items{std::move(of)} {}
    sent_items items;
};

/** Where the branches of a fan-out begin. */
struct branch_starts {
    std::uint32_t branches = 0;                 ///< How many there are.
    std::vector<std::vector<node_index>> groups;  ///< Per branch its first nodes; several meet before the join.
    pooled_vector<node_index> targets;          ///< Per branch its first node, if no branch begins with several.
    /** Per branch what is sent to it, if this is a dynamic fan-out; else null. Copies share it. Of a branch that has
     *  begun only the target and the timeout are of use. */
    intrusive_ptr<shared_items> sent;

    [[nodiscard]] std::uint32_t size() const noexcept { return branches; }
    /** The node that a branch begins with. */
    [[nodiscard]] node_index first_node_of(std::uint32_t branch) const noexcept
    {
        if (sent) return sent->items[branch].target;
        return groups.empty() ? targets[branch] : groups[branch].front();
    }
    /** Makes it a dynamic fan-out with a branch for each item. */
    void send(sent_items&& items)
    {
        branches = static_cast<std::uint32_t>(items.size());
        sent = make_counted<shared_items>(std::move(items));
    }
    /** Whether a branch begins with several nodes that meet before the join: with a fan-out of its own. */
    [[nodiscard]] bool has_group(std::uint32_t branch) const noexcept
    {
        return !groups.empty() && groups[branch].size() > 1;
    }
};

/** One open fan-out. */
struct region : branch_starts {
    struct written_key {
        std::uint32_t slot;
        std::uint32_t branch;
    };

    bool is_open = false;
    bool is_decided = false;                    ///< No branch is started any more; those that run are stopping.
    node_index source = no_node;
    node_index join = no_node;
    branch_index parent = no_index;
    std::uint32_t started = 0;
    std::uint32_t running = 0;                  ///< Started and not ended.
    std::uint32_t succeeded = 0;
    std::uint32_t failed = 0;
    node_index arrived = no_node;               ///< A join of an outer fan-out that a branch of this one has reached.
    branch_state* view = nullptr;               ///< The state that the branches fork from.
    failure_ptr first_failure;
    ended_branches ended;
    /** Those of `ended` that were cancelled and would still begin, the last one first. */
    pooled_vector<std::uint32_t> cancelled;
    pooled_vector<written_key> written;         ///< The first branch that wrote each key; for the strategy `error`.
    pooled_vector<branch_index> broken_off;     ///< Those that failed or were stopped.

    /** Where the run goes on behind it. */
    [[nodiscard]] node_index meeting_place() const noexcept
    {
        if (join != no_node) return join;
        return arrived != no_node ? arrived : end_node;
    }
    /** Passes over branches that were cancelled before they began. */
    void skip_cancelled() noexcept
    {
        for (; !cancelled.empty() && cancelled.back() == started; ++started) cancelled.pop_back();
    }
};

struct frontier;
class effect_journal;

/** What only some runs need to know of where they stand. */
struct frontier_extras {
    std::vector<node_index> deferred;           ///< Nodes to run, in this order, before the run ends.
    /** What nodes that get feedback wrote on their last visit, by node. */
    std::vector<std::pair<node_index, std::shared_ptr<const write_set>>> last_outputs;
    /** Why branches are being stopped that took too long, by branch. */
    std::vector<std::pair<branch_index, failure_ptr>> late;
    /** Where the graphs inside of paused nodes stand, by branch. */
    std::vector<std::pair<branch_index, std::shared_ptr<const frontier>>> inner;
    std::optional<spending> spent;              ///< Of a run whose spending is counted.
    std::chrono::nanoseconds elapsed{0};        ///< How long the run has run, of one whose time is limited.
    std::vector<open_question> questions;       ///< Of a paused run, those of graphs inside nodes included.
    /** Answers that were given to questions of visits that are not over, those inside nodes included. */
    question_answers answers;
    std::shared_ptr<effect_journal> journal;    ///< Of a paused run, for its resume in this process. Never stored.
    std::string effect_scope;                   ///< Of a run without a journal that has named an effect.
    /** Of a run that goes on where another one was broken off: the one that began to count the visits. Else nil. */
    run_id origin;
    run_identity identity;                      ///< Of the run that stands here, for its resume in this process.
};

/** The state of a run: its frontier owns it, or it lies within the run, where it stays while the run rests. It is used
 *  like a pointer; copies own copies of it. */
class root_state {
public:
    root_state() : own_{state{}} {}
    root_state(branch_state of) noexcept : own_{std::move(of)} {}
    /** Refers to one that outlives this. */
    explicit root_state(branch_state* elsewhere) : own_{state{}}, at_{elsewhere} {}
    root_state(const root_state& other) : own_{*other} {}
    root_state(root_state&& other) noexcept
        : own_{std::move(other.own_)}, at_{other.is_own() ? &own_ : other.at_}
    {
    }
    root_state& operator=(root_state other) noexcept
    {
        own_ = std::move(other.own_);
        at_ = other.is_own() ? &own_ : other.at_;
        return *this;
    }
    ~root_state() = default;

    // As with a pointer, what it points to is not const because it is.
    [[nodiscard]] branch_state* get() const noexcept { return at_; }
    [[nodiscard]] branch_state& operator*() const noexcept { return *at_; }
    [[nodiscard]] branch_state* operator->() const noexcept { return at_; }
    /** Owns it from now on, wherever it was. */
    void take_over()
    {
        if (!is_own()) own_ = std::move(*at_);
        at_ = &own_;
    }

private:
    [[nodiscard]] bool is_own() const noexcept { return at_ == &own_; }

    branch_state own_;  // empty if it lies elsewhere
    branch_state* at_ = &own_;
};

/** The parts of a frontier. Its regions and branches point at one another's states. */
struct frontier_data {
    root_state root;
    pooled_vector<run_branch> branches;
    pooled_vector<region> regions;
    pooled_vector<std::uint32_t> visits;        ///< Per node. Empty while `is_on_line`.
    node_path path;                             ///< Nodes in the order in which they were started. The same.
    copied_ptr<frontier_extras> extras;         ///< Null while there are none.
    std::uint32_t steps = 0;                    ///< Node visits so far.
    std::uint32_t retries = 0;                  ///< Attempts beyond the first.
    bool is_degraded = false;                   ///< A failure edge was taken, or a branch's failure tolerated.
    /** The run has come along the first `steps` nodes of its graph's line (`graph_node::line_place`) and nowhere else,
     *  which says its path and its visits. Of a run whose end, wait or save comes there they are never made. */
    bool is_on_line = false;
};

/** Where a run stands, as plain data: a checkpoint is a frontier, a resume is a scheduler made from one.
 *
 *  Copying makes an independent run; values are shared.
 */
struct frontier : frontier_data {
    explicit frontier(state values) { root = branch_state{std::move(values)}; }
    /** @param values   Outlives it. */
    explicit frontier(branch_state& values) { root = root_state{&values}; }
    /** @param parts   The views of its regions and the parents of its branches need not be set. Regions
     *                  and branches refer to one another as they do in a frontier. */
    explicit frontier(frontier_data&& parts) : frontier_data{std::move(parts)} { relink(); }
    frontier(const frontier& other) : frontier_data{other} { relink(); }
    frontier(frontier&& other) noexcept : frontier_data{std::move(other)} { relink(); }
    frontier& operator=(frontier other) noexcept
    {
        frontier_data::operator=(std::move(other));
        relink();
        return *this;
    }
    ~frontier() = default;

    /** Makes path and visits, of a run on the line of its graph. */
    void write_trail(const graph& of);
    /** The same, and makes what only grows shareable; before copies that are made again and again, or kept. */
    void settle(const graph& of);
    [[nodiscard]] frontier_extras& extra()
    {
        if (!extras) extras = std::make_unique<frontier_extras>();
        return *extras;
    }
    /** Why a branch is being stopped that took too long; null if it is not. */
    [[nodiscard]] failure_ptr lateness_of(branch_index branch) const noexcept;
    /** Where the graph inside of a branch's node is to go on; null at its beginning. */
    [[nodiscard]] std::shared_ptr<const frontier> inner_of(branch_index branch) const noexcept;
    /** Sets that; null forgets it. */
    void note_inner(branch_index branch, std::shared_ptr<const frontier> inner);
    /** What the node wrote on its last visit, if it gets feedback; else null. */
    [[nodiscard]] const write_set* last_outputs_of(node_index node) const noexcept;
    /** The state that a branch sees. */
    [[nodiscard]] branch_state& view_of(const run_branch& t) const noexcept
    {
        if (t.own) return *t.own;
        if (t.input) return *t.input;
        return t.region == no_index ? *root : *regions[t.region].view;
    }

private:
    void relink() noexcept
    {
        if (!branches.empty()) relink_branches();
    }
    void relink_branches() noexcept;
};

}  // namespace weft
