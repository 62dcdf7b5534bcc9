#pragma once

#include <weft/async/loop/linked_list.hpp>
#include <weft/async/wait/token_level.hpp>
#include <weft/base/clock.hpp>
#include <weft/model/chat/rate_limits.hpp>
#include <weft/model/decorator/model_rate_limits.hpp>
#include <weft/model/decorator/rate_share.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace weft {

/** One call in the line of a gate. In no line, it means nothing. */
class rate_place : public list_node<class rate_line> {
public:
    double tokens = 0;  ///< What the call will probably use.

protected:
    rate_place() = default;
    ~rate_place() = default;

private:
    friend class rate_gate;
    void* tenant_ = nullptr;
};

/** Decides when calls of one key may begin: not before the limits allow it, and fairly between tenants.
 *
 *  Each tenant has a line of its own, first come, first served. The tenant that has got least for its weight is served
 *  next; no call is overtaken within its line or because it is large. A value without clock, timer, lock or thread.
 *
 *  @par Source   Goyal, Vin, Cheng: Start-time Fair Queueing, SIGCOMM 1996; requests and tokens of a minute count
 *  alike.
 */
class rate_gate {
public:
    rate_gate(const model_rate_limits& limits, time_point now);

    /** Joins the line of a tenant. @param weight   Above 0; that of its newest call counts. */
    void enter(rate_place& place, const std::string& tenant, double weight);
    /** Leaves the line before it was served. */
    void leave(rate_place& place);

    /** From now on the limits are those of several processes: calls begin as claims allow (`begin_claim`); or they are
     *  this gate's alone again. Limits of calls in flight stay its own. */
    void share(bool is_shared);

    /** The next call that may begin now, taken out of its line and out of the buckets; null if none may. */
    [[nodiscard]] rate_place* serve(time_point now);
    /** When the next call may begin; nothing if no call waits, or if a call or a claim must end first. */
    [[nodiscard]] std::optional<time_point> ready_at() const;
    /** The call that is next; null if none waits. */
    [[nodiscard]] rate_place* first() const noexcept;

    /** A call has ended. */
    void release() noexcept { --in_flight_; }
    /** A call has used so much more tokens, or requests, than were taken for it; negative: less. */
    void correct(double requests, double tokens, time_point now) noexcept;
    /** No call begins before `moment`. */
    void pause_until(time_point moment) noexcept;
    /** The endpoint said what is left, and perhaps its limits, of which the lower one counts. */
    void learn(const rate_limits& reported, time_point now) noexcept;

    /** Whether a claim is due: the first call waits for it. */
    [[nodiscard]] bool needs_claim(time_point now) const;
    /** When `needs_claim` or `serve` is to be asked again, if nothing happens before. */
    [[nodiscard]] std::optional<time_point> next_look() const;
    /** A claim of the shared rates, without their name and its holder; nothing if none is due, and nothing is to be
     *  told. Until it has ended no other one begins. */
    [[nodiscard]] std::optional<rate_claim> begin_claim(time_point now);
    void end_claim(const rate_standing& standing, time_point now);
    /** The rates did not answer: this process goes on with its share of the limits. */
    void fail_claim(time_point now);
    /** As `rate_share::drop_claim`. */
    void drop_claim() noexcept;

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }

private:
    struct tenant {
        double weight = 1;
        double start = 0;          // its virtual time: what it has got, for its weight
        std::uint64_t order = 0;   // among equal starts
        linked_list<rate_place, rate_line> line;
    };
    using named_tenant = std::pair<const std::string, tenant>;
    struct by_start {
        bool operator()(const named_tenant* a, const named_tenant* b) const noexcept
        {
            return std::pair{a->second.start, a->second.order} < std::pair{b->second.start, b->second.order};
        }
    };
    [[nodiscard]] double cost_of(const rate_place& place) const noexcept;
    [[nodiscard]] bool is_shared() const noexcept { return share_ && (requests_limit_ > 0 || tokens_limit_ > 0); }
    /** Whether calls begin out of what was claimed. */
    [[nodiscard]] bool lives_on_claims() const noexcept { return is_shared() && !share_->is_away(); }
    [[nodiscard]] bool may_begin() const noexcept
    {
        return limits_.in_flight_max == 0 || in_flight_ < limits_.in_flight_max;
    }
    /** Full buckets for the limits in force, or for this process's part of them. */
    void fill_buckets(time_point now) noexcept;
    void rest(named_tenant& idle);

    model_rate_limits limits_;
    double requests_limit_ = 0;  // in force: configured or reported
    double tokens_limit_ = 0;
    std::optional<token_level> requests_;  // nothing: no limit
    std::optional<token_level> tokens_;
    std::optional<rate_share> share_;      // nothing: the limits are this gate's alone
    time_point paused_until_;
    time_point pause_told_;  // until when, to those who share the limits
    std::map<std::string, tenant> tenants_;
    std::set<named_tenant*, by_start> active_;
    double virtual_time_ = 0;
    std::uint64_t entered_ = 0;
    std::size_t waiting_ = 0;
    double waiting_tokens_ = 0;
    std::size_t in_flight_ = 0;
    bool is_claiming_ = false;
};

}  // namespace weft
