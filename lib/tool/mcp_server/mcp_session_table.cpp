#include "mcp_session_table.hpp"

#include "served_call.hpp"

#include <weft/base/error.hpp>
#include <weft/base/system/random_secret.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace weft::mcp_detail {

void server_session::end()
{
    asked.lose(error{errc::connection_lost, "MCP client", "its session has ended"});
    const std::map<json_rpc_id, served_call*> calls = std::exchange(running, {});
    // Ending, a call looks for its entry here.
    for (const auto& [request, call] : calls) call->stop();
    if (standalone) standalone->abort();
}

/** Takes one in; the others that have been idle for too long, or are too many, end. */
void mcp_session_table::keep(std::shared_ptr<server_session> one, time_point now)
{
    one->used = now;
    const auto is_idle = [&](const server_session& each) {
        return !each.id.empty() && each.running.empty() && now - each.used > options_.session_idle_max;
    };
    std::vector<std::shared_ptr<server_session>> ended;
    for (const auto& [id, each] : sessions_)
        if (is_idle(*each)) ended.push_back(each);
    // A client whose session has ended begins anew, as after a restart.
    if (ended.empty() && sessions_.size() >= options_.sessions_max) {
        const auto oldest = std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
            return a.second->used < b.second->used;
        });
        if (oldest != sessions_.end()) ended.push_back(oldest->second);
    }
    for (const std::shared_ptr<server_session>& each : ended) {
        sessions_.erase(each->id);
        each->end();
    }
    std::string id = one->id;
    sessions_[std::move(id)] = std::move(one);
}

task<std::shared_ptr<server_session>> mcp_session_table::open(mcp_peer client, mcp_caller caller)
{
    const serial_loop& loop = co_await this_task::loop();
    auto made = std::make_shared<server_session>();
    made->id = random_secret();
    made->client = std::move(client);
    made->caller = std::move(caller);
    made->is_open = true;
    keep(made, loop.now());
    if (options_.sessions) co_await options_.sessions->save(made->id, made->caller.principal, made->client);
    co_return made;
}

task<std::shared_ptr<server_session>> mcp_session_table::find(std::string id, mcp_caller caller)
{
    const serial_loop& loop = co_await this_task::loop();
    if (options_.sessions) {
        // The store knows: another process may have ended it, or changed what the client wants to hear.
        std::optional<mcp_peer> stored = co_await options_.sessions->find(id, caller.principal);
        const auto known = sessions_.find(id);
        if (!stored) {
            if (known != sessions_.end() && known->second->caller.principal == caller.principal) {
                const std::shared_ptr<server_session> gone = known->second;
                sessions_.erase(known);
                gone->end();
            }
            co_return nullptr;
        }
        if (known == sessions_.end()) {
            auto made = std::make_shared<server_session>();
            made->id = std::move(id);
            made->client = std::move(*stored);
            made->caller = std::move(caller);
            made->is_open = true;
            keep(made, loop.now());
            co_return made;
        }
        // Calls under way refer to it, and hear of the new level.
        known->second->client = std::move(*stored);
    }
    const auto found = sessions_.find(id);
    if (found == sessions_.end() || found->second->caller.principal != caller.principal) co_return nullptr;
    std::shared_ptr<server_session> session = found->second;
    if (session->running.empty() && loop.now() - session->used > options_.session_idle_max) {
        sessions_.erase(found);
        session->end();
        co_return nullptr;
    }
    session->used = loop.now();
    session->caller = std::move(caller);  // its token may be another one by now
    co_return session;
}

task<void> mcp_session_table::close(std::shared_ptr<server_session> which)
{
    sessions_.erase(which->id);
    which->end();
    if (options_.sessions && !which->id.empty()) co_await options_.sessions->erase(which->id, which->caller.principal);
}

task<void> mcp_session_table::save(const server_session& which) const
{
    if (!options_.sessions || which.id.empty()) co_return;
    co_await options_.sessions->save(which.id, which.caller.principal, which.client);
}

}  // namespace weft::mcp_detail
