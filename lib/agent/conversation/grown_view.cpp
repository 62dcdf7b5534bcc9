#include "grown_view.hpp"

#include <weft/model/chat/token_estimate.hpp>

#include <cstddef>
#include <utility>

namespace weft::agent_detail {

namespace {

/** Whether messages come in good order: calls, then the result of each, in their order. */
class good_order {
public:
    /** @return   False if this message is not the next one. */
    [[nodiscard]] bool take(const message& next)
    {
        if (next.role == role::tool) {
            if (is_whole() || calling_->tool_calls[answered_].id != next.tool_call_id) return false;
            ++answered_;
            return true;
        }
        if (!is_whole()) return false;
        calling_ = next.tool_calls.empty() ? nullptr : &next;
        answered_ = 0;
        return true;
    }
    [[nodiscard]] bool is_whole() const noexcept { return !calling_ || answered_ == calling_->tool_calls.size(); }

private:
    const message* calling_ = nullptr;
    std::size_t answered_ = 0;
};

/** Whether what the system says is what it said before. */
bool has_same_system(const conversation_view& before, const std::string& system)
{
    const bool had_system = before.positions.front() == no_entry;
    if (system.empty() || !had_system) return system.empty() && !had_system;
    const std::vector<content_part>& said = before.messages.front().content;
    const text_part* const text = said.size() == 1 ? std::get_if<text_part>(&said.front()) : nullptr;
    return text && text->text == system;
}

/** What was added to the lane; nothing if it is not in good order, or changes what was there before. */
std::optional<std::vector<std::uint32_t>> news_of(const conversation& from, const view_basis& basis)
{
    std::vector<std::uint32_t> news;
    good_order order;
    for (auto at = static_cast<std::uint32_t>(basis.of.size()); at < from.size(); ++at) {
        const conversation_entry& entry = from[at];
        if (entry.from.lane != basis.lane) continue;
        if (entry.is_mark() || !order.take(entry.message)) return std::nullopt;
        news.push_back(at);
    }
    if (!order.is_whole()) return std::nullopt;
    return news;
}

bool has_room(const view_options& options, const view_basis& basis, std::int64_t weight)
{
    std::int64_t room = options.estimator.estimate_for(options.budget).count() - basis.system_weight;
    if (!options.continue_with.empty()) room -= estimate_message(message::user(options.continue_with)).count();
    return weight + lightest_message <= room;
}

}  // namespace

std::optional<conversation_view> grow_view(const conversation& from, const view_options& options,
                                           const conversation_view& before)
{
    if (!before.basis || !options.has_tools || options.user_turns_max) return std::nullopt;
    const view_basis& basis = *before.basis;
    if (basis.lane != options.lane || !from.extends(basis.of) || !has_same_system(before, options.system))
        return std::nullopt;
    const std::optional<std::vector<std::uint32_t>> news = news_of(from, basis);
    if (!news) return std::nullopt;
    std::int64_t weight = basis.weight;
    for (const std::uint32_t position : *news) weight += from.estimate_of(position).count();
    const message& last = news->empty() ? before.messages.back() : from[news->back()].message;
    const bool is_continued = !options.continue_with.empty() && last.role == role::assistant;
    if (is_continued || !has_room(options, basis, weight)) return std::nullopt;

    conversation_view grown;
    grown.messages = before.messages;
    grown.positions.reserve(before.positions.size() + news->size());
    grown.shapes.reserve(before.shapes.size() + news->size());
    grown.positions = before.positions;
    grown.shapes = before.shapes;
    for (const std::uint32_t position : *news) {
        grown.messages.push_back(from[position].message);
        grown.positions.push_back(position);
        grown.shapes.push_back({from[position].id, 0});
    }
    grown.estimated = options.estimator.corrected(tokens{basis.system_weight + weight});
    view_basis& next = grown.basis.emplace();
    next.of = from;
    next.lane = basis.lane;
    next.system_weight = basis.system_weight;
    next.weight = weight;
    return grown;
}

}  // namespace weft::agent_detail
