#pragma once

#include <weft/agent/chat_agent/agent_state.hpp>
#include <weft/engine/run_result.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <string>

namespace weft {

/** That a run of an agent graph is over; once for each run, however it ended. */
struct completion_signal {
    std::string thread{};
    agent_stop stop = agent_stop::none;
    bool waiting_for_user = false;

    friend bool operator==(const completion_signal&, const completion_signal&) = default;
};
BOOST_DESCRIBE_STRUCT(completion_signal, (), (thread, stop, waiting_for_user))

/** What the end of a run of an agent graph is told as. A run that was stopped is `aborted` and waits for the user. */
[[nodiscard]] completion_signal completion_of(const run_result& result, std::string thread);

/** `{"type":"transfer_data","data":{"role":"system","content":"graph_execution_complete","stopReason":"done",
 *  "waitingForUser":false,"thread_id":"t"}}`.
 *  @par Source   Sulla's graph engine. */
[[nodiscard]] boost::json::object wire_form(const completion_signal& signal);

/** Tells the end of a run once: what it is told first, or at the latest when it goes, that the run was aborted.
 *
 *  What the function throws is swallowed: watchers do not disturb runs. */
class completion_notice {
public:
    using function = std::function<void(const completion_signal&)>;

    /** @param tell   May be empty. */
    completion_notice(std::string thread, function tell) : thread_{std::move(thread)}, tell_{std::move(tell)} {}
    completion_notice(const completion_notice&) = delete;
    completion_notice& operator=(const completion_notice&) = delete;
    ~completion_notice();

    /** @return   Whether it was the first. */
    bool tell(const completion_signal& signal) noexcept;

private:
    std::string thread_;
    function tell_;
    bool is_told_ = false;
};

}  // namespace weft
