#include <weft/graph/state/value_pieces.hpp>

#include <weft/base/json/append_json_text.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** An item is as much work as a text of so many bytes, beside its own. */
constexpr std::size_t piece_item_cost = 256;
constexpr std::size_t short_text_max = 1024;   // is written in one go
constexpr std::size_t piece_long = 16 * 1024;  // says how long the rest is
constexpr std::size_t room_made_max = 32 * 1024 * 1024;

/** Makes room for `rest` bytes more. A text of megabytes that grows by doubling is copied as a whole, in one turn. */
void make_room(std::string& out, std::size_t rest)
{
    const std::size_t needed = out.size() + std::min(rest + rest / 8, room_made_max);
    if (needed > out.capacity()) out.reserve(needed);
}

boost::json::value plain_whole(const key_type&, std::string_view, const value_box& value)
{
    return value.type().to_json(value);
}

boost::json::value plain_item(const key_type&, std::string_view, const value_box& list, std::size_t index)
{
    return list.type().list->item(list, index);
}

}  // namespace

const value_json plain_value_json{&plain_whole, &plain_item};

void value_pieces::begin(const state_layout::slot& key, value_ptr value, const value_json& form)
{
    key_ = &key;
    form_ = &form;
    value_ = std::move(value);
    is_writing_ = is_open_ = false;
    item_ = 0;
    const list_access* const list = value_->type().list;
    items_ = list ? list->size(*value_) : 0;
}

bool value_pieces::write(std::string& out, std::size_t until)
{
    if (value_->type().list) return write_list(out, until);
    if (is_writing_) return write_json(out, until);
    boost::json::value whole = form_->whole(*key_->type, key_->name, *value_);
    if (whole.is_string() && whole.get_string().size() <= short_text_max) {
        append_json_text(out, whole.get_string());
        return true;
    }
    if (whole.is_string()) make_room(out, whole.get_string().size());
    begin_json(std::move(whole));
    return write_json(out, until);
}

bool value_pieces::write_list(std::string& out, std::size_t until)
{
    const std::size_t before = out.size();
    const bool is_first = !std::exchange(is_open_, true);
    if (is_first) out.push_back('[');
    while (out.size() < until) {
        if (is_writing_) {
            if (!write_json(out, until)) break;
        } else if (item_ == items_) {
            out.push_back(']');
            return true;
        } else {
            if (item_ > 0) out.push_back(',');
            const std::size_t index = item_++;
            begin_json(form_->item(*key_->type, key_->name, *value_, index));
            until -= std::min(until, piece_item_cost);
        }
    }
    // Items are mostly alike.
    const std::size_t made = out.size() - before;
    if (is_first && made >= piece_long) make_room(out, made / item_ * (items_ - item_));
    return false;
}

void value_pieces::begin_json(boost::json::value what)
{
    json_ = std::move(what);
    serializer_.reset(&json_);
    is_writing_ = true;
}

bool value_pieces::write_json(std::string& out, std::size_t until)
{
    char room[4096];
    while (!serializer_.done() && out.size() < until) out.append(serializer_.read(room, sizeof room));
    is_writing_ = !serializer_.done();
    if (!is_writing_) json_ = nullptr;
    return !is_writing_;
}

}  // namespace weft
