#pragma once

#include <weft/graph/state/state.hpp>
#include <weft/graph/state/value_pieces.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace weft::serve_detail {

/** Writes the values of a state as JSON, piece by piece: a state of megabytes takes as long as all pieces together.
 *
 *      state_pieces pieces{values, form};
 *      while (!pieces.write(text, 64 * 1024)) …;   // something else has its turn
 *
 *  @par Errors          `state_conversion` names the key.
 *  @par Thread safety   None; it shares the values. */
class state_pieces {
public:
    state_pieces(state of, value_json form) : of_{std::move(of)}, form_{form} {}
    state_pieces(const state_pieces&) = delete;  // what is being written refers to the form
    state_pieces& operator=(const state_pieces&) = delete;

    /** Appends about `bytes` to `out`. @return  True when it was the last piece. */
    [[nodiscard]] bool write(std::string& out, std::size_t bytes);

private:
    [[nodiscard]] bool begin_value(std::string& out);

    const state of_;
    const value_json form_;
    std::uint32_t slot_ = 0;
    bool has_begun_ = false;
    bool is_writing_ = false;
    value_pieces value_;
};

}  // namespace weft::serve_detail
