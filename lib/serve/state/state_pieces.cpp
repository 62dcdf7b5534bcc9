#include "state_pieces.hpp"

#include <weft/base/error.hpp>

#include <boost/json/serialize.hpp>

#include <exception>

namespace weft::serve_detail {

bool state_pieces::write(std::string& out, std::size_t bytes)
{
    const std::size_t until = out.size() + bytes;
    while (out.size() < until) {
        if (is_writing_) write_value(out, until);
        else if (!begin_value(out)) return true;
    }
    return false;
}

void state_pieces::write_value(std::string& out, std::size_t until)
{
    char room[4096];
    while (!serializer_.done() && out.size() < until) out.append(serializer_.read(room, sizeof room));
    is_writing_ = !serializer_.done();
    if (!is_writing_) value_ = nullptr;
}

/** @return  False if there is none left. */
bool state_pieces::begin_value(std::string& out)
{
    const state_layout& keys = of_.layout();
    if (!is_in_list_)
        while (slot_ < keys.size() && (!of_.at(slot_) || keys[slot_].type->is_transient)) ++slot_;
    if (slot_ == keys.size()) {
        out.append(has_begun_ ? "}" : "{}");
        return false;
    }
    try {
        if (is_in_list_) begin_in_list(out);
        else begin_key(out);
    } catch (const std::exception& e) {
        throw error{errc::state_conversion, "key '" + keys[slot_].name + "'", e.what()};
    }
    if (!is_in_list_) ++slot_;
    return true;
}

void state_pieces::begin_key(std::string& out)
{
    const state_layout::slot& key = of_.layout()[slot_];
    out.push_back(std::exchange(has_begun_, true) ? ',' : '{');
    out.append(boost::json::serialize(boost::json::string_view{key.name})).push_back(':');
    const list_access* const list = key.type->value->list;
    if (!list) return begin_writing(form_.whole(*key.type, key.name, *of_.at(slot_)));
    is_in_list_ = true;
    item_ = 0;
    items_ = list->size(*of_.at(slot_));
    out.push_back('[');
}

void state_pieces::begin_in_list(std::string& out)
{
    if (item_ == items_) {
        out.push_back(']');
        is_in_list_ = false;
        return;
    }
    if (item_ > 0) out.push_back(',');
    const state_layout::slot& key = of_.layout()[slot_];
    const std::size_t index = item_++;
    begin_writing(form_.item(*key.type, key.name, *of_.at(slot_), index));
}

void state_pieces::begin_writing(boost::json::value what)
{
    value_ = std::move(what);
    serializer_.reset(&value_);
    is_writing_ = true;
}

}  // namespace weft::serve_detail
