#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft::sqlite_detail {

/** What rows are to contain, in the sense of `json_contains`, read once for all of them.
 *
 *  A row is read as JSON only if its text has all the names and texts of the filter: of 100,000 threads, few. */
class row_filter {
public:
    /** @param text  A JSON object. @par Errors  `errc::invalid_json`. */
    explicit row_filter(std::string_view text);

    [[nodiscard]] bool is_in(std::string_view json) const;

private:
    [[nodiscard]] bool may_be_in(std::string_view json) const noexcept;
    void add_texts(const boost::json::value& part);
    void add_text(std::string_view text);

    boost::json::value part_;
    std::vector<std::string> texts_;  // in quotes, as they stand in JSON that escapes nothing
};

}  // namespace weft::sqlite_detail
