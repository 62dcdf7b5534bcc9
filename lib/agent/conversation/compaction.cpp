#include <weft/agent/conversation/compaction.hpp>

#include <weft/model/chat/token_estimate.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace weft {

namespace {

tokens percent_of(tokens whole, int percent)
{
    return tokens{whole.count() / 100 * percent + whole.count() % 100 * percent / 100};
}

/** An entry in force, as the walk over the lane sees it. */
struct seen_entry {
    std::uint32_t position;
    std::int64_t weight;  // as it is shown
    bool is_shortened;
    bool is_kept;         // nothing is done to it
    bool is_recent_phase;
};

/** The entries of a lane in force, newest first, and what is kept of them. */
std::vector<seen_entry> look_at(const conversation& history, std::string_view lane, const compaction_rules& rules)
{
    std::vector<seen_entry> seen;
    std::vector<std::string_view> phases;
    const conversation::lane* const known = history.find_lane(lane);
    std::size_t replies = 0;
    for (lane_cursor at{history, lane}; !at.is_done(); at.next()) {
        const conversation_entry& entry = at.entry();
        const std::string& phase = entry.from.phase;
        if (!phase.empty() && (phases.empty() || phases.back() != phase)) phases.push_back(phase);
        const bool is_recent = replies < rules.replies_kept;
        if (!entry.is_mark() && entry.message.role == role::assistant) ++replies;
        const bool is_kept = is_recent || entry.is_mark() || entry.is_pinned || entry.message.role == role::system ||
                             at.position() == known->latest_user;
        seen.push_back({at.position(), at.estimate().count(), at.is_shortened(), is_kept,
                        !phases.empty() && phases.size() <= rules.phases_kept});
    }
    if (phases.size() <= rules.phases_kept)
        for (seen_entry& entry : seen) entry.is_recent_phase = false;
    return seen;
}

class compactor {
public:
    compactor(conversation& history, const provenance& by, const compaction_rules& rules,
              const token_estimator& estimator)
        : history_{history}, by_{by}, rules_{rules}, estimator_{estimator}
    {
        by_.author = message_author::program;
    }

    compaction run()
    {
        done_.before = done_.after = in_force();
        if (!needs_compaction(history_, by_.lane, rules_, estimator_)) return std::move(done_);
        shorten_results();
        if (is_too_long()) leave_pairs_out();
        done_.after = in_force();
        done_.wants_summary = is_too_long();
        return std::move(done_);
    }

private:
    [[nodiscard]] tokens in_force() const
    {
        const conversation::lane* const lane = history_.find_lane(by_.lane);
        return lane ? estimator_.corrected(lane->estimate) : tokens{};
    }
    [[nodiscard]] bool is_too_long() const
    {
        return in_force() >= percent_of(rules_.context_max, rules_.trigger_percent);
    }

    /** All old results at once: each time the beginning of a request changes, a cache is lost. */
    void shorten_results()
    {
        std::int64_t kept = rules_.results_kept.count();
        if (kept == 0) kept = std::max(std::int64_t{2'000}, rules_.context_max.count() / 12);
        const std::int64_t worth_it =
            std::min(std::max(std::int64_t{1'000}, kept / 3), rules_.context_max.count() / 10);
        std::vector<std::uint32_t> positions;
        std::int64_t freed = 0;
        std::int64_t newest = 0;
        for (const seen_entry& seen : look_at(history_, by_.lane, rules_)) {
            const message& said = history_[seen.position].message;
            if (said.role != role::tool) continue;
            newest += seen.weight;
            const bool stays = seen.is_kept || seen.is_shortened || seen.is_recent_phase || said.is_error ||
                               newest <= kept || is_short(said);
            if (stays) continue;
            freed += seen.weight - estimate_message(placeholder_of(said)).count();
            positions.push_back(seen.position);
        }
        if (freed < worth_it) return;
        done_.results_shortened = positions.size();
        done_.changes.push_back(history_.cover(entry_kind::shortened, {}, positions, by_, "shortened"));
    }

    [[nodiscard]] bool is_short(const message& result) const
    {
        const auto is_picture = [](const content_part& part) { return std::holds_alternative<image_part>(part); };
        const bool has_picture = std::any_of(result.content.begin(), result.content.end(), is_picture);
        return !has_picture && result.text().size() < rules_.result_bytes_min;
    }

    struct tool_group {
        std::vector<std::uint32_t> positions;
        std::int64_t weight = 0;
        bool is_kept = false;
    };

    /** Messages with calls and their results, oldest first. */
    [[nodiscard]] std::vector<tool_group> groups() const
    {
        std::vector<tool_group> found;
        tool_group open;
        for (const seen_entry& seen : look_at(history_, by_.lane, rules_)) {
            const conversation_entry& entry = history_[seen.position];
            if (entry.is_mark()) continue;
            const bool is_result = entry.message.role == role::tool;
            if (!is_result && entry.message.tool_calls.empty()) continue;
            open.positions.push_back(seen.position);
            open.weight += seen.weight;
            open.is_kept |= seen.is_kept || seen.is_recent_phase;
            if (is_result) continue;
            found.push_back(std::exchange(open, {}));
        }
        std::reverse(found.begin(), found.end());
        return found;
    }

    void leave_pairs_out()
    {
        const tokens aim = percent_of(rules_.context_max, rules_.target_percent);
        const std::int64_t target = estimator_.estimate_for(aim).count();
        std::int64_t weight = history_.find_lane(by_.lane)->estimate.count();
        std::vector<std::uint32_t> positions;
        std::map<std::string, std::size_t> calls;
        for (const tool_group& group : groups()) {
            if (weight <= target) break;
            if (group.is_kept) continue;
            weight -= group.weight;
            positions.insert(positions.end(), group.positions.begin(), group.positions.end());
            for (const tool_call& call : history_[group.positions.back()].message.tool_calls) ++calls[call.name];
            ++done_.pairs_left_out;
        }
        if (positions.empty()) return;
        std::string text = "[Left out: earlier tool calls and their results:";
        for (const auto& [name, count] : calls)
            text.append(text.back() == ':' ? " " : ", ").append(name).append(" ×").append(std::to_string(count));
        done_.changes.push_back(history_.cover(entry_kind::summary, text + "]", positions, by_, "calls_left_out"));
    }

    conversation& history_;
    provenance by_;
    const compaction_rules& rules_;
    const token_estimator& estimator_;
    compaction done_;
};

}  // namespace

bool needs_compaction(const conversation& history, std::string_view lane, const compaction_rules& rules,
                      const token_estimator& estimator)
{
    const conversation::lane* const found = history.find_lane(lane);
    return found && estimator.corrected(found->estimate) >= percent_of(rules.context_max, rules.trigger_percent);
}

compaction compact(conversation& history, const provenance& by, const compaction_rules& rules,
                   const token_estimator& estimator)
{
    return compactor{history, by, rules, estimator}.run();
}

}  // namespace weft
