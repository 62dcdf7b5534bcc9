#pragma once

#include <weft/graph/state/state.hpp>

#include <boost/json/serializer.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

/** How values become JSON. Each may throw as `to_json` of the type does. */
struct state_form {
    boost::json::value (*whole)(const key_type& type, std::string_view name, const value_box& box);
    boost::json::value (*item)(const key_type& type, std::string_view name, const value_box& list, std::size_t index);
};

/** Writes the values of a state as JSON, piece by piece: a state of megabytes takes as long as all pieces together.
 *
 *      state_pieces pieces{values, form};
 *      while (!pieces.write(text, 64 * 1024)) …;   // something else has its turn
 *
 *  A list is converted item by item. A value that is no list is converted as a whole, and written in pieces.
 *
 *  @par Errors          `state_conversion` names the key.
 *  @par Thread safety   None; it shares the values. */
class state_pieces {
public:
    state_pieces(state of, state_form form) : of_{std::move(of)}, form_{form} {}

    /** Appends about `bytes` to `out`. @return  True when it was the last piece. */
    [[nodiscard]] bool write(std::string& out, std::size_t bytes);

private:
    [[nodiscard]] bool begin_value(std::string& out);
    void begin_key(std::string& out);
    void begin_in_list(std::string& out);
    void begin_writing(boost::json::value what);
    void write_value(std::string& out, std::size_t until);

    const state of_;
    const state_form form_;
    std::uint32_t slot_ = 0;
    bool has_begun_ = false;
    bool is_in_list_ = false;
    std::size_t item_ = 0;   // of the list
    std::size_t items_ = 0;
    bool is_writing_ = false;
    boost::json::value value_;
    boost::json::serializer serializer_;
};

}  // namespace weft::serve_detail
