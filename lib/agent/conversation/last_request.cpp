#include "last_request.hpp"

#include <weft/graph/node_context.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft::agent_detail {

namespace {

/** Where the request before is kept; `state_layout::none` if it is nowhere. */
std::uint32_t slot_of_request(const state_layout& keys)
{
    const std::uint32_t slot = keys.find(request_before.name());
    if (slot == state_layout::none || keys[slot].type != &request_before.type()) return state_layout::none;
    return slot;
}

}  // namespace

list<message> messages_to_send(node_context& node, std::string system, list<message> said)
{
    if (system.empty()) return said;
    const std::uint32_t slot = slot_of_request(node.layout());
    using shared_request = std::shared_ptr<const last_request>;
    const value_box* const box = slot == state_layout::none ? nullptr : node.value_at(slot).get();
    const last_request* const before = box ? unboxed<shared_request>(*box).get() : nullptr;
    list<message> sent;
    std::size_t shared = 0;
    if (before && before->system == system && said.extends(before->said)) {
        sent = before->sent;
        shared = before->said.size();
    } else {
        sent.push_back(message::system(system));
    }
    if (shared == 0) sent.append(said);
    else for (auto at = said.begin() + static_cast<std::ptrdiff_t>(shared); at != said.end(); ++at) sent.push_back(*at);
    if (slot == state_layout::none) return sent;
    auto kept = std::make_shared<const last_request>(last_request{std::move(system), std::move(said), sent});
    node.write({slot, true, false, make_box<shared_request>(std::move(kept))});
    return sent;
}

}  // namespace weft::agent_detail
