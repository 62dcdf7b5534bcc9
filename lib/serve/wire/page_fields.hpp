#pragma once

#include "serve/http/api_call.hpp"
#include "serve/http/fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>

namespace weft::serve_detail {

/** What searches have in common: how many a client wants, and how many it has seen. */
struct page_fields : field_set {
    using field_set::field_set;

    number_field limit{*this, "limit", "How many at most", {.min = 1, .max = 1000, .otherwise = 10}};
    number_field offset{*this, "offset", "How many are passed over", {.min = 0, .max = 1'000'000, .otherwise = 0}};
};

/** The part of a list that a client wants. */
struct wanted_page {
    wanted_page(const page_fields& fields, const boost::json::object& body)
        : limit{fields.limit.or_default(body)}, offset{fields.offset.or_default(body)}
    {
    }
    /** Behind its last one. */
    [[nodiscard]] std::size_t end() const noexcept { return offset + limit; }

    std::size_t limit;
    std::size_t offset;
};

/** Answers with a page; a header says where the next one begins, if there is one. */
[[nodiscard]] task<void> reply_page(api_call& call, boost::json::array page, const wanted_page& wanted, bool has_more);

/** Only the members that a client wants to see, in its order; all of them if it does not say which. */
[[nodiscard]] boost::json::object selected_members(boost::json::object view, const texts_field& select,
                                                   const boost::json::object& body);

}  // namespace weft::serve_detail
