#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::mcp_detail {

/** An address with variables, as `files:///{name}/text`, and whether another one is of its family.
 *
 *  @par Thread safety   As a value.
 *  @par Source          RFC 6570, level 1, read backwards: a variable stands for one or more characters but `/`. */
class uri_template {
public:
    /** @par Errors   `errc::invalid_configuration`: braces that do not fit, a name twice or empty, two variables
     *                without a character between them. */
    explicit uri_template(std::string_view text);

    /** What stands for the variables, as it is written; nothing if the address is not of the family. */
    [[nodiscard]] std::optional<boost::json::object> match(std::string_view uri) const;

private:
    std::string begin_;  // before the first variable
    struct variable {
        std::string name;
        std::string behind;  // the text up to the next one, or the end
    };
    std::vector<variable> variables_;
};

}  // namespace weft::mcp_detail
