#include <weft/agent/conversation/conversation.hpp>

#include "next_entries.hpp"

#include <weft/graph/state_key.hpp>
#include <weft/model/chat/token_estimate.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

constexpr std::string_view spill_note = "the whole is kept as ";  // what tool results end with that were spilled

bool covered_by(const std::vector<entry_range>& ranges, std::uint32_t position) noexcept
{
    return std::any_of(ranges.begin(), ranges.end(), [&](const entry_range& r) { return r.contains(position); });
}

bool is_shown(const conversation_entry& entry) noexcept
{
    if (entry.kind == entry_kind::shortened) return false;
    return entry.kind == entry_kind::said || !entry.message.content.empty();
}

bool is_anchor(const conversation_entry& entry) noexcept
{
    return entry.is_mark() || entry.is_pinned || entry.message.role == role::system;
}

}  // namespace

conversation_change conversation::add(weft::message said, provenance from, options how)
{
    agent_detail::next_entries next{*this, from.lane};
    conversation_change change = next.add(std::move(said), std::move(from), std::move(how));
    push_back(change.entry);
    return change;
}

conversation_change conversation::cover(entry_kind kind, std::string text, const std::vector<std::uint32_t>& positions,
                                        provenance from, std::string label)
{
    BOOST_ASSERT_MSG(kind != entry_kind::said, "only marks cover entries");
    conversation_change change;
    change.entry.kind = kind;
    change.entry.message.role = role::user;
    if (!text.empty()) change.entry.message.content.emplace_back(text_part{std::move(text)});
    change.entry.from = std::move(from);
    change.entry.label = std::move(label);
    change.entry.id = next_id(change.entry);
    change.covers.reserve(positions.size());
    for (const std::uint32_t position : positions) change.covers.push_back(place_of(position));
    apply(change);
    return change;
}

void conversation::apply(conversation_change&& change)
{
    conversation_entry& entry = change.entry;
    entry.covers.clear();
    if (entry.is_mark() && !change.covers.empty()) {
        entry.covers = ranges_of(find(entry.from.lane, change.covers));
        if (entry.covers.empty()) return;
    }
    push_back(std::move(entry));
}

std::vector<conversation_change> conversation::changes_since(std::size_t position) const
{
    std::vector<conversation_change> changes;
    for (; position < size(); ++position) {
        conversation_change& change = changes.emplace_back();
        change.entry = entries_[position];
        for (const entry_range& range : change.entry.covers)
            for (std::uint32_t covered = range.first; covered < range.last; ++covered)
                if (entries_[covered].from.lane == change.entry.from.lane) change.covers.push_back(place_of(covered));
        change.entry.covers.clear();
    }
    return changes;
}

void conversation::push_back(conversation_entry&& entry)
{
    if (entry.id == 0) entry.id = next_id(entry);
    const auto position = static_cast<std::uint32_t>(size());
    // Whatever a stored mark says, it covers what came before it.
    std::erase_if(entry.covers, [&](const entry_range& r) { return r.first >= r.last || r.last > position; });
    const tokens estimate = is_shown(entry) ? estimate_message(entry.message) : tokens{};
    const bool is_mark = entry.is_mark();
    const conversation_entry& added = entries_.emplace_back(std::move(entry));
    lane& into = lane_for(added.from.lane);
    facts_.push_back({into.last, estimate});
    into.last = position;
    if (!added.from.phase.empty()) into.phase = added.from.phase;
    if (is_mark) return recount(into);
    ++into.messages;
    into.estimate += estimate;
    if (added.message.role == role::user) into.latest_user = position;
    if (is_anchor(added)) into.anchors.push_back(position);
}

const conversation::lane* conversation::find_lane(std::string_view name) const noexcept
{
    const auto found = std::find_if(lanes_.begin(), lanes_.end(), [&](const lane& l) { return l.name == name; });
    return found == lanes_.end() ? nullptr : &*found;
}

conversation::lane& conversation::lane_for(const std::string& name)
{
    const auto found = std::find_if(lanes_.begin(), lanes_.end(), [&](const lane& l) { return l.name == name; });
    if (found != lanes_.end()) return *found;
    lane& made = lanes_.emplace_back();
    made.name = name;
    return made;
}

std::int64_t conversation::next_id(const conversation_entry& of) const noexcept
{
    return agent_detail::next_entries{*this, of.from.lane}.id_of(of);
}

std::vector<std::uint32_t> conversation::find(std::string_view lane, std::vector<entry_place> places) const
{
    std::sort(places.begin(), places.end(), [](const entry_place& a, const entry_place& b) {
        return a.id != b.id ? a.id < b.id : a.position < b.position;
    });
    std::vector<bool> is_found(places.size());
    std::vector<std::uint32_t> found;
    std::vector<std::uint32_t> moved;  // where an id is that was seen somewhere else
    const auto take = [&](std::uint32_t position, bool exactly) {
        const std::int64_t id = entries_[position].id;
        auto at = std::lower_bound(places.begin(), places.end(), id,
                                   [](const entry_place& p, std::int64_t wanted) { return p.id < wanted; });
        bool is_known = false;
        for (; at != places.end() && at->id == id; ++at) {
            const auto index = static_cast<std::size_t>(at - places.begin());
            is_known = true;
            if (is_found[index] || (exactly && at->position != position)) continue;
            is_found[index] = true;
            found.push_back(position);
            return;
        }
        if (exactly && is_known) moved.push_back(position);
    };
    for (lane_cursor at{*this, lane}; !at.is_done(); at.next()) take(at.position(), true);
    for (const std::uint32_t position : moved) take(position, false);
    std::sort(found.rbegin(), found.rend());
    return found;
}

/** Ranges of the positions and of what summaries among them cover. */
std::vector<entry_range> conversation::ranges_of(std::vector<std::uint32_t> positions) const
{
    std::vector<entry_range> parts;
    for (const std::uint32_t position : positions) {
        parts.push_back({position, position + 1});
        const conversation_entry& entry = entries_[position];
        if (entry.kind == entry_kind::summary) parts.insert(parts.end(), entry.covers.begin(), entry.covers.end());
    }
    std::sort(parts.begin(), parts.end(),
              [](const entry_range& a, const entry_range& b) { return a.first < b.first; });
    std::vector<entry_range> merged;
    for (const entry_range& part : parts) {
        const std::uint32_t previous = facts_[part.first].previous;
        const bool joins = !merged.empty() && (part.first <= merged.back().last ||
                                               (previous != no_entry && merged.back().contains(previous)));
        if (joins) merged.back().last = std::max(merged.back().last, part.last);
        else merged.push_back(part);
    }
    return merged;
}

void conversation::recount(lane& of) const
{
    of.messages = 0;
    of.estimate = {};
    of.latest_user = no_entry;
    std::vector<std::uint32_t> anchors;
    for (lane_cursor at{*this, of.name}; !at.is_done(); at.next()) {
        const conversation_entry& entry = at.entry();
        if (is_shown(entry)) ++of.messages;
        of.estimate += at.estimate();
        if (is_anchor(entry)) anchors.push_back(at.position());
        const bool is_users = entry.kind == entry_kind::said && entry.message.role == role::user;
        if (is_users && of.latest_user == no_entry) of.latest_user = at.position();
    }
    of.anchors = list<std::uint32_t>(anchors.rbegin(), anchors.rend());
}

lane_cursor::lane_cursor(const conversation& in, std::string_view lane) : in_{in}, position_{no_entry}
{
    const conversation::lane* const found = in.find_lane(lane);
    if (found) position_ = found->last;
    settle();
}

void lane_cursor::next()
{
    position_ = in_.before(position_);
    settle();
}

/** Goes on to an entry that is in force, and takes down what it covers if it is a mark. */
void lane_cursor::settle()
{
    for (bool is_hidden = true; is_hidden && position_ != no_entry;) {
        is_hidden = false;
        for (const entry_range& range : hidden_) {
            if (!range.contains(position_)) continue;
            position_ = in_.before(range.first);
            is_hidden = true;
            break;
        }
    }
    if (position_ == no_entry) return;
    const conversation_entry& here = entry();
    if (!here.is_mark()) return;
    std::vector<entry_range>& into = here.kind == entry_kind::summary ? hidden_ : shortened_;
    into.insert(into.end(), here.covers.begin(), here.covers.end());
}

bool lane_cursor::is_shortened() const noexcept
{
    if (shortened_.empty() || entry().message.role != role::tool || entry().is_pinned) return false;
    return covered_by(shortened_, position_);
}

tokens lane_cursor::estimate() const
{
    return is_shortened() ? estimate_message(placeholder_of(entry().message)) : in_.estimate_of(position_);
}

std::uint32_t lane_cursor::shown_at() const noexcept
{
    const conversation_entry& here = entry();
    return here.kind == entry_kind::summary && !here.covers.empty() ? here.covers.front().first : position_;
}

message placeholder_of(const message& result)
{
    const std::string text = result.text();
    const auto pictures = std::count_if(result.content.begin(), result.content.end(), [](const content_part& part) {
        return std::holds_alternative<image_part>(part);
    });
    std::string words = "[Old tool result, left out: " + std::to_string(text.size()) + " bytes";
    if (pictures > 0)
        words.append(" and ").append(std::to_string(pictures)).append(pictures > 1 ? " pictures" : " picture");
    const std::size_t kept = text.rfind(spill_note);
    if (kept != std::string::npos) words.append("; ").append(text, kept, text.find_first_of("]\n", kept) - kept);
    message shown = message::tool_result(result.tool_call_id, words + "]");
    shown.name = result.name;
    shown.is_error = result.is_error;
    return shown;
}

template struct compiled_value<conversation>;
template struct compiled_value<conversation_change>;
template struct compiled_key<conversation>;
template struct compiled_key<conversation, converse>;

}  // namespace weft
