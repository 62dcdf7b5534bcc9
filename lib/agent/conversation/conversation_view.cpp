#include <weft/agent/conversation/conversation_view.hpp>

#include "grown_view.hpp"

#include <weft/model/chat/token_estimate.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t notes_max = 100;
constexpr std::size_t refused_max = 1'000;
constexpr std::size_t expected_max = 4'096;  // of messages that room is made for beforehand

using agent_detail::lightest_message;

struct shown_result {
    std::uint32_t position;
    bool is_shortened;
};

/** A message, or one with tool calls and the results of these. */
struct shown_item {
    std::uint32_t shown_at = 0;
    std::uint32_t head = 0;
    bool is_altered = false;  // some of its calls have no results
    std::vector<shown_result> results{};  // in the order of the calls
    std::int64_t weight = 0;
};

bool has_text(const message& said)
{
    return std::any_of(said.content.begin(), said.content.end(), [](const content_part& part) {
        const text_part* text = std::get_if<text_part>(&part);
        return text ? !text->text.empty() : std::holds_alternative<image_part>(part);
    });
}

bool is_in(const std::vector<entry_range>& ranges, std::uint32_t position) noexcept
{
    return std::any_of(ranges.begin(), ranges.end(), [&](const entry_range& r) { return r.contains(position); });
}

class view_builder {
public:
    view_builder(const conversation& from, const view_options& options, const conversation_view* before)
        : from_{from}, options_{options}, before_{before},
          left_{options.estimator.estimate_for(options.budget).count()}
    {
        if (!options.system.empty()) {
            prompt_ = message::system(options.system);
            weight_ = estimate_message(prompt_).count();
            left_ -= weight_;
        }
        if (!options.continue_with.empty()) {
            continuation_ = message::user(options.continue_with);
            left_ -= estimate_message(continuation_).count();
        }
    }

    conversation_view build()
    {
        const conversation::lane* const lane = from_.find_lane(options_.lane);
        if (lane) {
            items_.reserve(std::min(lane->messages, expected_max));
            take_protected(*lane);
            take_newest();
        }
        emit(lane ? lane->messages : 0);
        out_.estimated = options_.estimator.corrected(tokens{weight_});
        if (out_.estimated > options_.budget) {
            out_.is_over_budget = true;
            note({view_note::kind::over_budget, no_entry,
                  "what is always kept takes " + to_string(out_.estimated) + " of " + to_string(options_.budget)});
        }
        return std::move(out_);
    }

private:
    void take_protected(const conversation::lane& lane)
    {
        std::vector<entry_range> hidden;
        std::vector<entry_range> shortened;
        for (std::size_t i = lane.anchors.size(); i-- > 0;) {
            const std::uint32_t position = lane.anchors[i];
            if (is_in(hidden, position)) continue;
            const conversation_entry& entry = from_[position];
            if (entry.is_mark()) {
                std::vector<entry_range>& into = entry.kind == entry_kind::summary ? hidden : shortened;
                into.insert(into.end(), entry.covers.begin(), entry.covers.end());
                if (entry.kind == entry_kind::summary && has_text(entry.message)) protect(single(position));
            } else if (entry.message.role == role::tool || !entry.message.tool_calls.empty()) {
                protect_group(position, hidden, shortened);
            } else {
                protect(single(position));
            }
        }
        if (lane.latest_user != no_entry && !is_protected(lane.latest_user)) protect(single(lane.latest_user));
    }

    void take_newest()
    {
        std::size_t turns = 0;
        std::size_t refused = 0;
        for (lane_cursor at{from_, options_.lane}; !at.is_done() && left_ >= lightest_message; at.next()) {
            const conversation_entry& entry = at.entry();
            if (entry.is_mark()) continue;
            std::optional<shown_item> item;
            if (entry.message.role == role::tool) {
                open_.push_back({at.position(), at.is_shortened()});
            } else {
                if (!entry.message.tool_calls.empty()) item = close_group(at.position(), std::exchange(open_, {}));
                else item = single(at.position());
            }
            if (item && !is_protected(item->head) && !take(std::move(*item))) {
                if (options_.full == when_full::stop || ++refused == refused_max) return;
            }
            if (entry.message.role == role::user && ++turns == options_.user_turns_max) return;
        }
        if (left_ < lightest_message) return;
        for (const shown_result& result : open_) note_orphan(result.position);
    }

    bool take(shown_item item)
    {
        if (item.weight > left_) return false;
        left_ -= item.weight;
        items_.push_back(std::move(item));
        return true;
    }

    void protect(shown_item item)
    {
        left_ -= item.weight;
        protected_.insert(std::lower_bound(protected_.begin(), protected_.end(), item.head), item.head);
        items_.push_back(std::move(item));
    }

    [[nodiscard]] bool is_protected(std::uint32_t head) const
    {
        return std::binary_search(protected_.begin(), protected_.end(), head);
    }

    [[nodiscard]] shown_item single(std::uint32_t position) const
    {
        const conversation_entry& entry = from_[position];
        const bool has_place = entry.kind == entry_kind::summary && !entry.covers.empty();
        shown_item item;
        item.shown_at = has_place ? entry.covers.front().first : position;
        item.head = position;
        item.weight = from_.estimate_of(position).count();
        return item;
    }

    /** The pinned message with calls or result at a position, and all that belongs to it. */
    void protect_group(std::uint32_t position, const std::vector<entry_range>& hidden,
                       const std::vector<entry_range>& shortened)
    {
        std::uint32_t head = position;
        while (head != no_entry && from_[head].message.tool_calls.empty()) head = from_.before(head);
        if (head == no_entry || is_protected(head)) return;
        const conversation_entry& calling = from_[head];
        const auto is_answer = [&](const message& said) {
            return said.role == role::tool &&
                   std::any_of(calling.message.tool_calls.begin(), calling.message.tool_calls.end(),
                               [&](const tool_call& call) { return call.id == said.tool_call_id; });
        };
        if (head != position && !is_answer(from_[position].message)) return;
        std::vector<shown_result> results;
        for (std::uint32_t at = head + 1; at < from_.size(); ++at) {
            const conversation_entry& entry = from_[at];
            if (entry.is_mark() || entry.from.lane != calling.from.lane || is_in(hidden, at)) continue;
            if (!entry.message.tool_calls.empty()) break;
            if (!is_answer(entry.message)) continue;
            results.push_back({at, !entry.is_pinned && is_in(shortened, at)});
            if (results.size() == calling.message.tool_calls.size()) break;
        }
        std::reverse(results.begin(), results.end());
        const std::size_t noted = out_.notes.size();
        std::optional<shown_item> item = close_group(head, std::move(results));
        out_.notes.resize(noted);  // the walk over all messages notes them
        if (item) protect(std::move(*item));
    }

    /** @param results   Newest first; those that come after the calls, before the next calls. */
    [[nodiscard]] std::optional<shown_item> close_group(std::uint32_t head, std::vector<shown_result> results)
    {
        const message& calling = from_[head].message;
        shown_item item = single(head);
        for (const tool_call& call : calling.tool_calls) {
            const auto found = std::find_if(results.rbegin(), results.rend(), [&](const shown_result& r) {
                return from_[r.position].message.tool_call_id == call.id;
            });
            if (found == results.rend()) {
                item.is_altered = true;
                note({view_note::kind::orphan_call, head,
                      "the call '" + call.id + "' of '" + call.name + "' has no result"});
                continue;
            }
            item.results.push_back(*found);
            results.erase(std::next(found).base());
        }
        for (const shown_result& result : results) note_orphan(result.position, &calling);
        if (!options_.has_tools || (item.results.empty() && !has_text(calling))) return std::nullopt;
        if (item.is_altered) item.weight = estimate_message(message_of(item)).count();
        for (const shown_result& result : item.results) item.weight += weight_of(result);
        return item;
    }

    [[nodiscard]] std::int64_t weight_of(const shown_result& result) const
    {
        if (!result.is_shortened) return from_.estimate_of(result.position).count();
        return estimate_message(placeholder_of(from_[result.position].message)).count();
    }

    /** The message at the head of an item, without calls that have no results. */
    [[nodiscard]] message message_of(const shown_item& item) const
    {
        message said = from_[item.head].message;
        if (!item.is_altered) return said;
        std::erase_if(said.tool_calls, [&](const tool_call& call) {
            return std::none_of(item.results.begin(), item.results.end(), [&](const shown_result& r) {
                return from_[r.position].message.tool_call_id == call.id;
            });
        });
        said.provider.reset();  // has the calls as the provider wrote them
        return said;
    }

    void note_orphan(std::uint32_t position, const message* calling = nullptr)
    {
        const std::string& id = from_[position].message.tool_call_id;
        const bool is_second = calling && std::any_of(calling->tool_calls.begin(), calling->tool_calls.end(),
                                                      [&](const tool_call& call) { return call.id == id; });
        if (is_second)
            note({view_note::kind::second_result, position, "the call '" + id + "' has a result already"});
        else
            note({view_note::kind::orphan_result, position, "the result answers '" + id + "', which nobody called"});
    }

    void note(view_note about)
    {
        if (out_.notes.size() < notes_max) out_.notes.push_back(std::move(about));
    }

    void emit(std::size_t in_force)
    {
        const auto is_before = [](const shown_item& a, const shown_item& b) { return a.shown_at < b.shown_at; };
        std::reverse(items_.begin(), items_.end());  // mostly newest first so far
        if (!std::is_sorted(items_.begin(), items_.end(), is_before))
            std::sort(items_.begin(), items_.end(), is_before);
        out_.positions.reserve(items_.size() + 2);
        out_.shapes.reserve(items_.size() + 2);
        if (!options_.system.empty()) plan(no_entry, 0);
        const std::size_t own = out_.positions.size();
        for (const shown_item& item : items_) {
            weight_ += item.weight;
            const auto calls = static_cast<std::uint32_t>(item.results.size());
            plan(item.head, item.is_altered ? 2 + calls : 0);
            for (const shown_result& result : item.results) plan(result.position, result.is_shortened ? 1 : 0);
        }
        const std::size_t shown = out_.positions.size() - own;
        out_.left_out = in_force - std::min(in_force, shown);
        write(share());
        if (shown == 0) return;
        const bool is_plain = options_.has_tools && !options_.user_turns_max && open_.empty() && out_.notes.empty();
        if (!options_.continue_with.empty() && out_.messages.back().role == role::assistant) continue_conversation();
        else if (is_plain && shown == in_force) keep_basis();
    }

    void continue_conversation()
    {
        weight_ += estimate_message(continuation_).count();
        plan(no_entry, 0);
        out_.messages.push_back(continuation_);
    }

    void keep_basis()
    {
        view_basis& basis = out_.basis.emplace();
        basis.of = from_;
        basis.lane = options_.lane;
        if (!options_.system.empty()) basis.system_weight = estimate_message(prompt_).count();
        basis.weight = weight_ - basis.system_weight;
    }

    void plan(std::uint32_t position, std::uint32_t form)
    {
        out_.positions.push_back(position);
        out_.shapes.push_back({position == no_entry ? 0 : from_[position].id, form});
    }

    /** Takes over the messages of the view before if this one begins with them. @return   How many. */
    std::size_t share()
    {
        if (!before_ || before_->messages.empty() || before_->shapes.size() > out_.shapes.size()) return 0;
        if (!std::equal(before_->shapes.begin(), before_->shapes.end(), out_.shapes.begin())) return 0;
        if (!options_.system.empty() && !(before_->messages.front() == prompt_)) return 0;
        out_.messages = before_->messages;
        return before_->messages.size();
    }

    /** Writes all messages but the first so many. */
    void write(std::size_t shared)
    {
        std::size_t at = 0;
        const auto put = [&](const auto& make) {
            if (at++ >= shared) out_.messages.push_back(make());
        };
        if (!options_.system.empty()) put([&] { return prompt_; });
        for (const shown_item& item : items_) {
            put([&] { return message_of(item); });
            for (const shown_result& result : item.results)
                put([&] {
                    const message& said = from_[result.position].message;
                    return result.is_shortened ? placeholder_of(said) : said;
                });
        }
    }

    const conversation& from_;
    const view_options& options_;
    const conversation_view* before_;
    conversation_view out_;
    std::vector<shown_item> items_;
    std::vector<std::uint32_t> protected_;  // heads, ascending
    std::vector<shown_result> open_;        // newest first, waiting for their calls
    message prompt_;
    message continuation_;
    std::int64_t left_;        // estimated tokens, before correction
    std::int64_t weight_ = 0;  // of what is emitted
};

}  // namespace

conversation_view view_of(const conversation& from, const view_options& options, const conversation_view* before)
{
    if (before)
        if (std::optional<conversation_view> grown = agent_detail::grow_view(from, options, *before))
            return std::move(*grown);
    return view_builder{from, options, before}.build();
}

template struct compiled_key<std::shared_ptr<const conversation_view>, replace, true>;

}  // namespace weft
