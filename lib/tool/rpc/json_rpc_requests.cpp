#include "json_rpc_requests.hpp"

#include <string>
#include <utility>

namespace weft {

namespace {

/** Our ids are whole numbers; a text is never one of them. */
std::optional<std::int64_t> own_id(const std::optional<json_rpc_id>& id)
{
    const std::int64_t* number = id ? std::get_if<std::int64_t>(&*id) : nullptr;
    return number ? std::optional{*number} : std::nullopt;
}

}  // namespace

std::int64_t json_rpc_requests::open(json_rpc_caller& caller)
{
    if (waiting_.size() >= pending_max_)
        throw error{errc::limit_reached, {},
                    std::to_string(pending_max_) + " requests wait for answers of this server; call less at once"};
    waiting_.emplace(next_id_, &caller);
    return next_id_++;
}

bool json_rpc_requests::settle(json_rpc_message answer)
{
    const auto id = own_id(answer.id());
    const auto found = id ? waiting_.find(*id) : waiting_.end();
    if (found == waiting_.end()) {
        ++dropped_;
        return false;
    }
    json_rpc_caller& caller = *found->second;
    waiting_.erase(found);
    caller.on_answer(std::move(answer));
    return true;
}

bool json_rpc_requests::fail(const json_rpc_id& id, const error& why)
{
    const auto number = own_id(id);
    const auto found = number ? waiting_.find(*number) : waiting_.end();
    if (found == waiting_.end()) return false;
    json_rpc_caller& caller = *found->second;
    waiting_.erase(found);
    caller.on_lost(why);
    return true;
}

bool json_rpc_requests::progress(const boost::json::object& params)
{
    const boost::json::value* token = params.if_contains("progressToken");
    const auto id = own_id(token ? json_rpc_id_of(*token) : std::nullopt);
    const auto found = id ? waiting_.find(*id) : waiting_.end();
    if (found == waiting_.end()) return false;
    found->second->on_progress(params);
    return true;
}

void json_rpc_requests::lose(const error& why)
{
    const auto lost = std::exchange(waiting_, {});
    for (const auto& [id, caller] : lost) caller->on_lost(why);
}

}  // namespace weft
