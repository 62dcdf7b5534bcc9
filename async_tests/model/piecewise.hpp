#pragma once

#include "stream_reader.hpp"

#include <weft/base/error.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/** Bodies of the streams of any provider, read as the driver of all of them does, without a wire. */
namespace piecewise {

/** How a body comes. */
struct pieces {
    std::function<std::size_t()> next_size{};        ///< Of the pieces; all at once if empty.
    std::optional<weft::error> transport_failure{};  ///< How the body ends, if not well.
};

inline constexpr std::string_view secret = "sk-TEST-0123456789abcdef";

inline weft::reply_options reading()
{
    weft::reply_options options;
    options.where = "gpt-x at test";
    options.model = "gpt-x";
    options.request_id = "req_1";
    options.id_seed = 1;
    return options;
}

/** What `read` makes of a sink: a reply or an error, and what the sink saw. */
template <class Read>
outcome observe(Read read)
{
    outcome result;
    try {
        result.reply = read(result.sink);
    } catch (const weft::model_error& e) {
        result.failure = e;
    }
    return result;
}

/** Reads a body; anything else that is to be known about the provider is in the function. */
using reader = std::function<outcome(std::string_view body, const pieces& how)>;

/** Wherever a body is cut into pieces, the same comes of it. */
void check_any_pieces(std::string_view body, const reader& read);

/** The connection may break after any byte. Then there is the whole reply, or a part of it that can't do harm. */
void check_any_end(std::string_view body, const reader& read);

}  // namespace piecewise
