#pragma once

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/state_layout.hpp>
#include <weft/graph/state_key.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A key of a graph whose value is a conversation, whatever its type: `list<message>`, or in files that do not know
 *  that type a list of JSON; with the reducer `append` or without one.
 *
 *      inline constexpr weft::state_key<weft::list<weft::message>, weft::append> messages{"messages"};
 *
 *  @par Thread safety   None: it belongs to a node at work.
 *  @par Lifetimes       The node context outlives it. */
class messages_key {
public:
    /** What is wrong with a key of this name; empty if it can be used. */
    [[nodiscard]] static std::string fault_of(const state_layout& keys, std::string_view name);

    /** @par Errors   `errc::unknown_state_key`, `errc::state_type_mismatch`. */
    messages_key(node_context& node, std::string_view name);

    [[nodiscard]] bool has_value() const { return node_.value_at(slot_) != nullptr; }
    /** The conversation, oldest first.
     *  @par Errors   `errc::unexpected_json` if an item is no message. */
    [[nodiscard]] list<message> read() const;
    /** Adds messages at the end.
     *  @param survives   A hard cancel of the run too. */
    void add(std::vector<message> more, bool survives = false);
    /** Puts another conversation in the place of what is there. */
    void replace(const list<message>& whole);

private:
    node_context& node_;
    std::uint32_t slot_;
    const key_type* type_;
};

extern template struct compiled_value<message>;
extern template struct compiled_value<list<message>>;
extern template struct compiled_key<list<message>, append>;

}  // namespace weft
