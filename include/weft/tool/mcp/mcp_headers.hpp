#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** A text as the value of a header of the modern era: itself, or `=?base64?…?=` where it could not be sent or read
 *  back as it is.
 *
 *  @par Source          MCP 2026-07-28, "Transports", header encoding.
 */
[[nodiscard]] std::string mcp_header_value(std::string_view text);

/** The text that a header's value stands for; nothing if it claims to be base64 and is not. */
[[nodiscard]] std::optional<std::string> mcp_header_text(std::string_view value);

/** Which arguments of a tool go into headers as well: what the annotation `x-mcp-header` of its schema says. */
class mcp_argument_headers {
public:
    /** @return   Nothing, and `why` says what is wrong, if an annotation is not allowed; such a tool must not be
     *            offered. */
    [[nodiscard]] static std::optional<mcp_argument_headers> read(const boost::json::value& input_schema,
                                                                  std::string& why);

    /** Name and value of each header for these arguments; what is absent or null is left out. */
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> of(const boost::json::object& arguments) const;

    /** The headers that must not be there for these arguments. */
    [[nodiscard]] std::vector<std::string> absent(const boost::json::object& arguments) const;

    [[nodiscard]] bool empty() const noexcept { return rules_.empty(); }

private:
    struct rule {
        std::vector<std::string> path;  // names of properties, from the outermost
        std::string header;
    };
    class reader;
    [[nodiscard]] static std::optional<std::string> text_for(const rule& of, const boost::json::object& arguments);

    std::vector<rule> rules_;
};

/** The headers that name a request of the modern era: `Mcp-Method` and, where it has one, `Mcp-Name`. */
[[nodiscard]] std::vector<std::pair<std::string, std::string>> mcp_request_headers(std::string_view method,
                                                                                   const boost::json::object& params);

}  // namespace weft
