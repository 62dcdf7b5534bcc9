#include "stored_event_pieces.hpp"

#include <weft/base/json/append_json_text.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <boost/json/serialize.hpp>

#include <exception>
#include <string_view>
#include <utility>

namespace weft {

void stored_event_pieces::begin(const run_event& event)
{
    written_ = event.written;
    has_values_ = event.what != run_event::kind::state_written;
    is_in_values_ = is_writing_ = has_members_ = false;
    next_ = 0;
    // By the clock of the process that has the run: the store notes when it took an event, with others in one batch.
    boost::json::object line = to_json(event, time_point{});
    if (event.about) line.emplace("about", *event.about);
    if (written_ && written_->is_in_branch()) line.emplace("is_in_branch", true);
    text_ = boost::json::serialize(line);
    text_.pop_back();  // the object stays open
}

std::string stored_event_pieces::take() noexcept
{
    written_ = nullptr;
    return std::exchange(text_, {});
}

bool stored_event_pieces::write(std::size_t bytes)
{
    const std::size_t until = text_.size() + bytes;
    while (text_.size() < until) {
        if (!is_writing_ && !begin_next()) {
            text_.push_back('}');
            return true;
        }
        try {
            if (!value_.write(text_, until)) return false;
            end_value();
        } catch (const std::exception&) {
            // A log of what happened has holes rather than an end: the value itself is in the state.
            text_.resize(begun_at_);
            has_members_ = had_members_;
        }
        is_writing_ = false;
    }
    return false;
}

/** @return  False if nothing is left. */
bool stored_event_pieces::begin_next()
{
    if (!written_) return false;
    is_writing_ = !is_in_values_ && begin_write();
    if (!is_writing_ && !is_in_values_) {
        if (has_members_) text_.push_back(']');
        has_members_ = false;
        is_in_values_ = true;
        next_ = 0;
    }
    if (is_writing_ || !has_values_) return is_writing_;
    is_writing_ = begin_value();
    if (!is_writing_) text_.append(has_members_ ? "}" : ",\"values\":{}");
    return is_writing_;
}

bool stored_event_pieces::begin_write()
{
    const state_layout& keys = written_->state().layout();
    for (; next_ < written_->items().size(); ++next_) {
        const state_write& write = written_->items()[next_];
        const state_layout::slot& key = keys[write.slot];
        if (!write.value || key.type->is_transient) continue;
        begun_at_ = text_.size();
        had_members_ = std::exchange(has_members_, true);
        text_.append(had_members_ ? ",[" : ",\"written\":[[");
        append_json_text(text_, key.name);
        text_.push_back(',');
        value_.begin(key, write.value);
        ++next_;
        return true;
    }
    return false;
}

bool stored_event_pieces::begin_value()
{
    const state& of = written_->state();
    const state_layout& keys = of.layout();
    for (; next_ < keys.size(); ++next_) {
        const auto slot = static_cast<std::uint32_t>(next_);
        if (!of.at(slot) || keys[slot].type->is_transient) continue;
        begun_at_ = text_.size();
        had_members_ = std::exchange(has_members_, true);
        text_.append(had_members_ ? "," : ",\"values\":{");
        append_json_text(text_, keys[slot].name);
        text_.push_back(':');
        value_.begin(keys[slot], of.at(slot));
        ++next_;
        return true;
    }
    return false;
}

void stored_event_pieces::end_value()
{
    if (is_in_values_) return;
    text_.append(written_->items()[next_ - 1].is_overwrite ? ",true]" : "]");
}

}  // namespace weft
