#pragma once

#include <weft/chat/content_part.hpp>
#include <weft/graph/node/command.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weft {

/** A value that a tool gives back as JSON; the model reads it as text. */
struct json_part {
    boost::json::value value{};

    friend bool operator==(const json_part&, const json_part&) = default;
};

/** One piece of what a tool gives back. */
using tool_content = std::variant<text_part, image_part, json_part>;

/** What came of a tool call: for the model `content`, for the graph `update` and `go_to`, for the program `metadata`.
 *
 *      co_return weft::tool_result::text("12 °C, rain").set(weather, found);
 *
 *  @par Thread safety   As a value.
 */
struct tool_result {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    tool_result() {}

    [[nodiscard]] static tool_result text(std::string words);
    [[nodiscard]] static tool_result json(boost::json::value value);
    /** The tool ran and says no, in words that let the model do better. */
    [[nodiscard]] static tool_result error(std::string words);

    tool_result&& add(tool_content part) &&;
    /** A write to the graph's state; the reducer of the key joins it. */
    template <class T, class R, class U>
    tool_result&& set(const state_key<T, R>& key, U&& value) &&
    {
        update.set(key, std::forward<U>(value));
        return std::move(*this);
    }
    /** Hands the branch over to another node of the graph. */
    tool_result&& hand_over(std::string node) &&;

    /** What the model reads: the texts and values, a line between two; pictures by their address or type. */
    [[nodiscard]] std::string readable() const;

    std::vector<tool_content> content;
    bool is_error = false;
    state_update update;           ///< Used by a tool node only, merged in the order of the calls.
    std::string go_to;             ///< The node to go on with; empty: as the edges say. Used by a tool node only.
    boost::json::object metadata;  ///< For hooks and events; the model never sees it.
};

}  // namespace weft
