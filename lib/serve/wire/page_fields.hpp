#pragma once

#include "serve/http/api_call.hpp"
#include "serve/http/fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft::serve_detail {

/** What is asked for by `Filter`, and how much of it a client wants. */
template <class Filter>
struct paged : Filter {
    using Filter::Filter;

    number_field limit{*this, "limit", "How many at most", {.min = 1, .max = 1000, .otherwise = 10}};
    number_field offset{*this, "offset", "How many are passed over", {.min = 0, .max = 1'000'000, .otherwise = 0}};
};

/** The part of a list that a client wants. */
struct wanted_page {
    template <class Filter>
    wanted_page(const paged<Filter>& fields, const boost::json::object& body)
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

/** The members that a client wants to see. */
class member_selection {
public:
    /** @par Errors  `http_error` 422: they are no list of texts. */
    member_selection(const texts_field& select, const boost::json::object& body);

    /** Only these members, in the order of the client; all of them if it does not say which. */
    [[nodiscard]] boost::json::object of(boost::json::object view) const;

private:
    std::optional<std::vector<std::string>> names_;
};

}  // namespace weft::serve_detail
