#include "state_pieces.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/append_json_text.hpp>

#include <exception>

namespace weft::serve_detail {

bool state_pieces::write(std::string& out, std::size_t bytes)
{
    const std::size_t until = out.size() + bytes;
    while (out.size() < until) {
        if (!is_writing_ && !begin_value(out)) return true;
        const std::string& name = of_.layout()[slot_].name;
        try {
            is_writing_ = !value_.write(out, until);
        } catch (const std::exception& e) {
            throw error{errc::state_conversion, "key '" + name + "'", e.what()};
        }
        if (is_writing_) return false;
        ++slot_;
    }
    return false;
}

/** @return  False if there is none left. */
bool state_pieces::begin_value(std::string& out)
{
    const state_layout& keys = of_.layout();
    while (slot_ < keys.size() && (!of_.at(slot_) || keys[slot_].type->is_transient)) ++slot_;
    if (slot_ == keys.size()) {
        out.append(has_begun_ ? "}" : "{}");
        return false;
    }
    const state_layout::slot& key = keys[slot_];
    out.push_back(std::exchange(has_begun_, true) ? ',' : '{');
    append_json_text(out, key.name);
    out.push_back(':');
    value_.begin(key, of_.at(slot_), form_);
    is_writing_ = true;
    return true;
}

}  // namespace weft::serve_detail
