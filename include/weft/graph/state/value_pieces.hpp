#pragma once

#include <weft/graph/state/state_layout.hpp>
#include <weft/graph/state/value.hpp>

#include <boost/json/serializer.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

/** How values become JSON: as a whole, or by the items of a list. Each may throw as `to_json` of the type does. */
struct value_json {
    boost::json::value (*whole)(const key_type& key, std::string_view name, const value_box& value);
    boost::json::value (*item)(const key_type& key, std::string_view name, const value_box& list, std::size_t index);
};

/** As states have them: `to_json` of the type. */
extern const value_json plain_value_json;

/** Writes a value as JSON text, piece by piece: between two pieces of a value of megabytes other work has its turn.
 *
 *      value_pieces pieces;
 *      pieces.begin(key, value);
 *      while (!pieces.write(text, text.size() + 64 * 1024)) …;   // something else has its turn
 *
 *  A list is converted item by item. A value that is no list is converted as a whole, and written in pieces.
 *
 *  @par Errors          As the conversions. The text then ends in the middle of the value.
 *  @par Thread safety   None; it shares the value.
 *  @par Lifetimes       Key and form outlive it. */
class value_pieces {
public:
    /** Takes the next value; the one before is forgotten. @param value   Not null. */
    void begin(const state_layout::slot& key, value_ptr value, const value_json& form = plain_value_json);
    /** Appends to `out` until that has about `until` bytes, or fewer if they are many small items: each is work.
     *  @return  True when the value is complete. */
    [[nodiscard]] bool write(std::string& out, std::size_t until);

private:
    [[nodiscard]] bool write_list(std::string& out, std::size_t until);
    [[nodiscard]] bool write_json(std::string& out, std::size_t until);
    void begin_json(boost::json::value what);

    const state_layout::slot* key_ = nullptr;
    const value_json* form_ = nullptr;
    value_ptr value_;
    bool is_writing_ = false;  // an item, or the whole
    bool is_open_ = false;     // the list
    std::size_t item_ = 0;
    std::size_t items_ = 0;
    boost::json::value json_;
    boost::json::serializer serializer_;
};

}  // namespace weft
