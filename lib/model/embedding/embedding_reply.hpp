#pragma once

#include <weft/chat/usage.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

/** What a reply with vectors must be, whatever its provider. */
namespace weft::model_detail {

/** What was asked, as far as a reply must fit it. */
struct embedding_expectation {
    std::size_t count = 0;                   ///< Texts of the request.
    std::size_t dimensions_max = 16 * 1024;
    std::optional<std::size_t> dimensions{};  ///< That were asked for.
};

struct embedding_reply {
    std::vector<std::vector<float>> vectors;
    weft::usage usage;
};

/** Reads a vector.
 *
 *  @param index   Which text it is of, for errors.
 *  @par Errors    `reply_refused` when it is no list of finite numbers, empty, or too long. */
[[nodiscard]] std::vector<float> read_vector(const boost::json::value* from, std::size_t index,
                                             std::size_t dimensions_max);

/** A member that lists one entry for each text.
 *
 *  @par Errors   `reply_refused` when it is missing or has another number of entries. */
[[nodiscard]] const boost::json::array& read_entries(const boost::json::object& reply, std::string_view name,
                                                     std::size_t count);

/** Checks that all vectors have one length, and the one that was asked for.
 *
 *  @par Errors   `reply_refused`. */
void check_lengths(const std::vector<std::vector<float>>& vectors, std::optional<std::size_t> dimensions);

/** What a count of tokens means; without one, the usage is not known. */
[[nodiscard]] usage input_usage(const boost::json::object* counts, std::string_view name);

}  // namespace weft::model_detail
