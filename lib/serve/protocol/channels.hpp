#pragma once

#include "command_fields.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** What of a thread a client of the second protocol wants to see, and of which graphs within nodes. */
class channel_filter {
public:
    using path = std::vector<std::string>;

    /** Reads `channels`, `namespaces` and `depth`.
     *  @par Errors  `http_error` 400: no channel, or one that is unknown; it lists those there are. */
    [[nodiscard]] static channel_filter read(const boost::json::object& from, const channel_fields& fields);

    [[nodiscard]] bool wants(std::string_view channel) const noexcept;
    /** Of custom events: all, or those of a name. */
    [[nodiscard]] bool wants_custom(std::string_view name) const noexcept;
    [[nodiscard]] bool reaches(const path& where) const noexcept;

private:
    std::vector<std::string> channels_;
    std::vector<path> namespaces_;       // none: all
    std::optional<std::size_t> depth_;   // below one of them; nothing: any
};

}  // namespace weft::serve_detail
