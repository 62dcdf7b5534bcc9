#pragma once

#include <weft/base/units.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** How a model of Anthropic thinks before it answers. */
struct anthropic_thinking {
    enum class mode {
        unset,     ///< As the model does by itself.
        off,
        adaptive,  ///< As much as the model sees fit; `chat_request::reasoning_effort` guides it.
        budget,    ///< At most `budget` tokens.
    };
    mode how = mode::unset;
    tokens budget{};        ///< At least 1024, and less than the most tokens to write.
    std::string display{};  ///< `summarized` or `omitted`; empty: the model's default.
};

/** What a provider is to keep of a request, so that the next one with the same beginning costs less. A request begins
 *  with the tools, then comes the system text, then the conversation; each mark ends a beginning. */
struct anthropic_cache {
    bool tools = false;        ///< A mark after the last tool.
    bool system = false;       ///< A mark after the system text.
    std::size_t messages = 0;  ///< A mark after each of so many messages at the end of the conversation.
    std::string ttl{};         ///< `5m` or `1h`; empty: the provider's default.
};

/** What all requests to one endpoint of the Messages API have in common. */
struct anthropic_settings {
    std::string provider = "anthropic";  ///< Marks what only this provider understands in the history.
    std::string version = "2023-06-01";  ///< `anthropic-version`.
    std::vector<std::string> betas{};    ///< `anthropic-beta`.

    tokens output_max{8192};  ///< Most tokens to write, for requests that name no limit: this API wants one.
    anthropic_thinking thinking{};
    anthropic_cache cache{};   ///< At most four marks in all.
    std::string user_label{};  ///< The value of this label of a request goes as `metadata.user_id`; empty: none does.
    /** Temperature and `top_p` are sent. Newer versions of the API refuse them. */
    bool takes_sampling = true;
    boost::json::array server_tools{};  ///< Tools that the provider runs, as it wants them; join those of a request.
    boost::json::object extra_body{};   ///< Joins every request; the request's own wins.

    // HTTP.
    std::string auth_header = "x-api-key";
    std::string auth_prefix{};  ///< `Bearer ` where the header is `Authorization`.
    std::vector<std::pair<std::string, std::string>> headers{};  ///< Added to every request.
};

}  // namespace weft
