#include <weft/agent/chat_agent/completion_signal.hpp>

#include <weft/base/json.hpp>

#include <utility>

namespace weft {

completion_signal completion_of(const run_result& result, std::string thread)
{
    completion_signal signal;
    signal.thread = std::move(thread);
    switch (result.status) {
    case run_status::cancelled:
        signal.stop = agent_stop::aborted;
        signal.waiting_for_user = true;
        return signal;
    case run_status::failed: signal.stop = agent_stop::failed; return signal;
    case run_status::paused:
        signal.stop = agent_stop::paused;
        signal.waiting_for_user = true;
        return signal;
    case run_status::finished: break;
    }
    if (result.was_cut_short) {
        signal.stop = agent_stop::max_loops;
        return signal;
    }
    const agent_status* const status = result.state.find(agent_keys::status);
    if (!status) return signal;
    signal.stop = status->stop;
    signal.waiting_for_user = status->waiting_for_user;
    return signal;
}

boost::json::object wire_form(const completion_signal& signal)
{
    boost::json::object data;
    data["role"] = "system";
    data["content"] = "graph_execution_complete";
    data["stopReason"] = to_json(signal.stop);
    data["waitingForUser"] = signal.waiting_for_user;
    data["thread_id"] = signal.thread;
    boost::json::object whole;
    whole["type"] = "transfer_data";
    whole["data"] = std::move(data);
    return whole;
}

completion_notice::~completion_notice()
{
    if (is_told_) return;
    completion_signal aborted;
    aborted.thread = std::move(thread_);
    aborted.stop = agent_stop::aborted;
    aborted.waiting_for_user = true;
    (void)tell(aborted);
}

bool completion_notice::tell(const completion_signal& signal) noexcept
{
    if (std::exchange(is_told_, true)) return false;
    try {
        if (tell_) tell_(signal);
    } catch (...) {  // a watcher's own affair
    }
    return true;
}

}  // namespace weft
