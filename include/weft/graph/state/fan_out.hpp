#pragma once

#include <weft/base/chrono.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

class state_view;

/** What a fan-out does when branches fail or succeed. */
class branch_policy {
public:
    enum class kind : std::uint8_t { fail_all, continue_others, wait_all, first_success, quorum };

    /** The first failure stops the siblings at once; all are awaited, and the failure goes up. */
    static const branch_policy fail_all;
    /** The others finish and the join sees what succeeded; if nothing did, the failure goes up. */
    static const branch_policy continue_others;
    /** All finish; the join always runs and reads every result and error in `node_context::branches`. */
    static const branch_policy wait_all;
    /** The first success stops the others and the join runs; if nothing succeeds, the failure goes up. */
    static const branch_policy first_success;
    /** `k` successes stop the others; as soon as `k` cannot be reached any more, the failure goes up. */
    [[nodiscard]] static constexpr branch_policy quorum(std::uint32_t k) noexcept
    {
        return branch_policy{kind::quorum, k};
    }

    [[nodiscard]] constexpr kind which() const noexcept { return kind_; }
    /** How many successes stop the others: the quorum, 1 for a race, 0 for the policies that wait. */
    [[nodiscard]] constexpr std::uint32_t needed() const noexcept { return needed_; }
    friend constexpr bool operator==(const branch_policy&, const branch_policy&) noexcept = default;

private:
    constexpr explicit branch_policy(kind which, std::uint32_t needed = 0) noexcept : kind_{which}, needed_{needed} {}
    kind kind_;
    std::uint32_t needed_;
};

/** As written above, e.g. `wait_all`. */
[[nodiscard]] std::string_view name_of(branch_policy::kind policy) noexcept;

inline constexpr branch_policy branch_policy::fail_all{kind::fail_all};
inline constexpr branch_policy branch_policy::continue_others{kind::continue_others};
inline constexpr branch_policy branch_policy::wait_all{kind::wait_all};
inline constexpr branch_policy branch_policy::first_success{kind::first_success, 1};

/** Which value a key without a reducer has when several branches wrote it. */
enum class conflict_strategy : std::uint8_t {
    last_wins,     ///< The branch that finished last.
    first_wins,    ///< The branch that finished first.
    error,         ///< The branch that finishes later fails with `errc::write_conflict`.
    branch_order,  ///< The last branch in the order of the edges, whatever the timing.
};
// Keys with a reducer get the updates of all branches in the order of the edges, or of the items that were sent,
// whatever the timing. With `last_wins` or `first_wins` of the key or the fan-out they get them in the order in which
// the branches finished.

/** Which branches of a fan-out are meant: those that begin with a node, or the one at a place. */
struct branch_choice {
    std::string_view first_node;
    std::optional<std::uint32_t> index;
};

/** Options of one fan-out. */
struct fan_out_options {
    branch_policy on_failure = branch_policy::fail_all;
    std::uint32_t concurrency_max = 0;           ///< Branches of this fan-out in flight; 0: as many as the run allows.
    std::chrono::nanoseconds branch_timeout{0};  ///< For one branch from its start to its end; 0: none.
    std::optional<conflict_strategy> conflict = {};  ///< Instead of the graph's; a key's own comes first.
    /** The fan-out ends early when this holds of what is joined so far: the state that the join would see if the
     *  branches that have succeeded were all. It is asked after each success, on the run's loop; the other branches are
     *  stopped then. If it throws, the branch that has just succeeded fails with `errc::condition_failed`. Not for the
     *  policies that count successes. */
    std::function<bool(const state_view&)> until = {};
};

}  // namespace weft
