#pragma once

#include <weft/base/units.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** What all requests to one Ollama server have in common. */
struct ollama_settings {
    /** Tokens of conversation and reply that the model sees (`num_ctx`). Ollama's own number is small, and what does
     *  not fit is dropped from the beginning without a word. */
    std::optional<tokens> context_max{};
    /** How long the model stays loaded: `5m`, seconds, `-1` for ever; empty: the server's default. */
    std::string keep_alive{};
    boost::json::object options{};  ///< Joins `options` of every request, e.g. `{"top_k":40}`; the request's own wins.
    boost::json::object extra_body{};                            ///< Joins every request; the request's own wins.
    std::vector<std::pair<std::string, std::string>> headers{};  ///< Added to every request.
};

}  // namespace weft
